#include "bindings/c/callbacks.hpp"

#include <array>

#include <sodium.h>

namespace futurerand::c {
namespace {

Error store_failure(const char* what, std::string_view record, fr_code code) {
  return {"the application's store cannot " + std::string(what) + " the record '" +
              std::string(record) + "' (code " + std::to_string(code) + ")",
          error_code(code)};
}

}  // namespace

ErrorCode error_code(fr_code code) {
  switch (code) {
    case FR_NOT_FOUND:
      return ErrorCode::kNotFound;
    case FR_REFUSED:
      return ErrorCode::kRefused;
    case FR_DAMAGED:
      return ErrorCode::kDamaged;
    case FR_NO_ENTROPY:
      return ErrorCode::kNoEntropy;
    case FR_NO_ROOM:
    case FR_NO_MEMORY:
      return ErrorCode::kNoRoom;
    case FR_BUSY:
      return ErrorCode::kBusy;
    case FR_UNREACHABLE:
      return ErrorCode::kUnreachable;
    case FR_NOT_STARTED:
      return ErrorCode::kNotStarted;
    case FR_UNAUTHORIZED:
      return ErrorCode::kUnauthorized;
    case FR_UNTRUSTED:
      return ErrorCode::kUntrusted;
    default:
      return ErrorCode::kInvalid;
  }
}

Result<std::optional<Bytes>> CallbackStore::load(std::string_view record) {
  const std::string name(record);
  const std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  const fr_code code = store_.load(store_.context, name.c_str(), &bytes, &size);
  if (code == FR_NOT_FOUND) return std::optional<Bytes>();
  if (code != FR_OK) return store_failure("read", record, code);
  if (bytes == nullptr) return store_failure("read", record, FR_DAMAGED);
  return std::optional<Bytes>(Bytes(bytes, bytes + size));
}

Status CallbackStore::save(std::string_view record, std::span<const std::uint8_t> bytes) {
  const std::string name(record);
  const fr_code code = store_.save(store_.context, name.c_str(), bytes.data(), bytes.size());
  if (code != FR_OK) return store_failure("save", record, code);
  return {};
}

Result<std::vector<std::string>> CallbackStore::names() {
  std::vector<std::string> names;
  const auto each = [](void* list, const char* record) {
    if (record != nullptr) static_cast<std::vector<std::string>*>(list)->push_back(record);
  };
  const fr_code code = store_.names(store_.context, each, &names);
  if (code != FR_OK) return store_failure("list", "*", code);
  return names;
}

bool CallbackEntropy::fill(std::span<std::uint64_t> words) {
  for (std::uint64_t& word : words) {
    std::array<std::uint8_t, 8> bytes{};
    if (entropy_.fill(entropy_.context, bytes.data(), bytes.size()) != FR_OK) return false;
    word = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) word = word << 8 | bytes[i];
    sodium_memzero(bytes.data(), bytes.size());
  }
  return true;
}

}  // namespace futurerand::c
