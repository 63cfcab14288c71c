// What JavaScript gives in place of an operating system: entropy and the records of a device.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
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

// Nobody else changes the records while JavaScript holds its lease. So they are kept here once they
// were read or saved, and JavaScript takes a copy only when it makes them durable.
class ImportedStore final : public StateStore {
 public:
  ~ImportedStore() override {
    for (auto& [record, bytes] : kept_) erase(bytes);
  }

  Result<std::optional<Bytes>> load(std::string_view record) override {
    if (const auto found = kept_.find(record); found != kept_.end()) {
      return std::optional<Bytes>(found->second);
    }
    const std::int32_t size = js::load(record.data(), record.size(), nullptr, 0);
    if (size == kNone) return std::optional<Bytes>();
    if (size < 0) return failure("read", record, ErrorCode::kDamaged);
    Bytes bytes(static_cast<std::size_t>(size));
    if (js::load(record.data(), record.size(), bytes.data(), bytes.size()) != size) {
      return failure("read", record, ErrorCode::kDamaged);
    }
    kept_.emplace(record, bytes);
    return std::optional<Bytes>(std::move(bytes));
  }

  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override {
    auto found = kept_.find(record);
    if (found == kept_.end()) found = kept_.emplace(record, Bytes()).first;
    Bytes& kept = found->second;
    if (kept.capacity() < bytes.size()) {
      erase(kept);
      kept.clear();
      kept.reserve(2 * bytes.size());
    }
    kept.assign(bytes.begin(), bytes.end());
    // JavaScript reads it here when it makes it durable.
    if (js::save(record.data(), record.size(), kept.data(), kept.size()) != 0) {
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
    for (const auto& [record, bytes] : kept_) list.push_back(record);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      if (end == text.npos) break;
      std::string record = text.substr(at, end - at);
      if (!kept_.contains(record)) list.push_back(std::move(record));
      at = end + 1;
    }
    return list;
  }

 private:
  static Error failure(const char* what, std::string_view record, ErrorCode code) {
    return {"the store cannot " + std::string(what) + " the record '" + std::string(record) + "'",
            code};
  }

  std::map<std::string, Bytes, std::less<>> kept_;
};

}  // namespace
}  // namespace futurerand::js

namespace futurerand::c {

std::unique_ptr<RandomSource> default_entropy() { return std::make_unique<js::ImportedEntropy>(); }

// JavaScript says the time: device.js calls fr_device_believe().
std::int64_t default_seconds() { return 0; }

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
