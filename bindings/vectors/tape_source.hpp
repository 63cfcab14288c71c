// TapeSource: the bytes of a vector as a source of bits; it fails when they are used up.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

class TapeSource final : public RandomSource {
 public:
  explicit TapeSource(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  // Words are little endian on the tape.
  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override {
    if (words.size() * 8 > rest_.size()) return false;
    for (std::uint64_t& word : words) {
      word = 0;
      for (std::size_t i = 8; i-- > 0;) word = word << 8 | rest_[i];
      rest_ = rest_.subspan(8);
    }
    return true;
  }

  std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace futurerand
