// CheckedEntropy: passes a source's words on until the source is stuck, and fails from then on.
//
// A source from an application may leave its buffer unchanged, or repeat the same bytes. So 32 zero
// bytes in a row, or the same 32 bytes twice in a row, end it. Sound bits do so with a probability
// of 2^-255 a word at most. It cannot distinguish a seeded generator from entropy (repetition count
// test, NIST SP 800-90B, 4.4.1).
//
// Thread safety: one thread at a time.
#pragma once

#include <array>
#include <cstdint>

#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

class CheckedEntropy final : public RandomSource {
 public:
  static constexpr std::uint32_t kWords = 4;

  explicit CheckedEntropy(RandomSource& source) : source_(source) {}
  ~CheckedEntropy() override;
  CheckedEntropy(const CheckedEntropy&) = delete;
  CheckedEntropy& operator=(const CheckedEntropy&) = delete;

  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override;
  void discard_buffered() override { source_.discard_buffered(); }

 private:
  RandomSource& source_;
  std::array<std::uint64_t, kWords> last_{};  // by their number modulo kWords; at first zero
  std::uint32_t next_ = 0;
  std::uint32_t zeros_ = 0;     // in a row
  std::uint32_t repeated_ = 0;  // in a row, each as the one kWords before
  bool stuck_ = false;
};

}  // namespace futurerand
