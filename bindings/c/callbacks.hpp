// The application's storage and entropy, as callbacks of C, behind the interfaces of the library.
//
// Thread safety: that of the callbacks; one thread at a time is enough.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/c/futurerand.h"
#include "futurerand/client/state_store.hpp"
#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand::c {

// FR_OK has no code of an Error; what is unknown counts as kInvalid.
ErrorCode error_code(fr_code code);

// A record that cannot be read is an error, never nothing; a store that fails stays as it was.
class CallbackStore final : public StateStore {
 public:
  // Requires callbacks that are not null.
  explicit CallbackStore(const fr_store& store) : store_(store) {}

  Result<std::optional<Bytes>> load(std::string_view record) override;
  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override;
  Result<std::vector<std::string>> names() override;

 private:
  fr_store store_;
};

class CallbackEntropy final : public RandomSource {
 public:
  // Requires a callback that is not null.
  explicit CallbackEntropy(const fr_entropy& entropy) : entropy_(entropy) {}

  // Words are little endian in the bytes, so that the same bytes give the same words everywhere.
  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override;

 private:
  fr_entropy entropy_;
};

}  // namespace futurerand::c
