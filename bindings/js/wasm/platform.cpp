// What JavaScript gives in place of an operating system: entropy and the records of a device.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <sodium.h>

#include "bindings/c/handles.hpp"
#include "bindings/c/text.hpp"
#include "bindings/js/wasm/imports.hpp"

namespace futurerand::js {
namespace {

class ImportedEntropy final : public RandomSource {
 public:
  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override {
    // WebAssembly is little endian, as the words of a tape are.
    const auto bytes = std::as_writable_bytes(words);
    return js::fill(reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()) == 0;
  }
};

class ImportedStore final : public StateStore {
 public:
  Result<std::optional<Bytes>> load(std::string_view record) override {
    // As much room as the last one needed: mostly one call into JavaScript is enough.
    Bytes bytes(room_);
    std::int32_t size = js::load(record.data(), record.size(), bytes.data(), bytes.size());
    if (size > static_cast<std::int32_t>(room_)) {
      room_ = static_cast<std::size_t>(size) + kSpareRoom;
      bytes.resize(room_);
      size = js::load(record.data(), record.size(), bytes.data(), bytes.size());
    }
    if (size == kNone) return std::optional<Bytes>();
    if (size < 0 || size > static_cast<std::int32_t>(room_)) {
      return failure("read", record, ErrorCode::kDamaged);
    }
    bytes.resize(static_cast<std::size_t>(size));
    return std::optional<Bytes>(std::move(bytes));
  }

  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override {
    if (js::save(record.data(), record.size(), bytes.data(), bytes.size()) != 0) {
      return failure("save", record, ErrorCode::kNoRoom);
    }
    return {};
  }

  Result<std::vector<std::string>> names() override {
    const std::int32_t size = names_size();
    if (size < 0) return failure("list", "*", ErrorCode::kDamaged);
    std::string text(static_cast<std::size_t>(size), '\0');
    if (js::names(text.data(), text.size()) != 0) {
      return failure("list", "*", ErrorCode::kDamaged);
    }
    std::vector<std::string> list;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      if (end == text.npos) break;
      list.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return list;
  }

 private:
  static Error failure(const char* what, std::string_view record, ErrorCode code) {
    return {"the store cannot " + std::string(what) + " the record '" + std::string(record) + "'",
            code};
  }

  static constexpr std::size_t kSpareRoom = 256;
  std::size_t room_ = kSpareRoom;
};

}  // namespace
}  // namespace futurerand::js

namespace futurerand::c {

std::unique_ptr<RandomSource> default_entropy() { return std::make_unique<js::ImportedEntropy>(); }

}  // namespace futurerand::c

using namespace futurerand;
using namespace futurerand::c;

// fr_device_open() with the records that JavaScript has.
extern "C" fr_code fr_device_open_imported(const char* ceiling, fr_device** device,
                                           fr_error* error) {
  if (const fr_code code = clear_out(device, error)) return code;
  return open_device(std::make_unique<js::ImportedStore>(), ceiling, nullptr, nullptr, device,
                     error);
}

// Debian's compiler-rt for WebAssembly was compiled with a stack protector, which nothing provides.
extern "C" {
std::uintptr_t __stack_chk_guard = 0x2b992ddf;
void __stack_chk_fail() { std::abort(); }
}
