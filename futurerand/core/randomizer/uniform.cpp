#include "futurerand/core/randomizer/uniform.hpp"

#include <bit>
#include <vector>

namespace futurerand {

std::uint32_t UniformBits::below(std::uint32_t bound) {
  const std::uint64_t mask = std::bit_ceil(std::uint64_t{bound}) - 1;
  while (true) {
    const std::uint64_t candidate = word() & mask;
    if (candidate < bound) return static_cast<std::uint32_t>(candidate);
  }
}

BigInt UniformBits::below(const BigInt& bound) {
  const auto bits = static_cast<std::uint32_t>(msb(bound)) + 1;
  std::vector<std::uint64_t> words((bits + 63) / 64);
  while (true) {
    for (std::uint64_t& part : words) part = word();
    if (bits % 64 != 0) words.back() &= (std::uint64_t{1} << (bits % 64)) - 1;
    BigInt candidate;
    import_bits(candidate, words.begin(), words.end(), 64, false);
    if (candidate < bound) return candidate;
  }
}

std::uint64_t UniformBits::biased_word(std::uint64_t threshold, std::uint64_t lanes) {
  std::uint64_t less = 0;
  for (int bit = 63; bit >= 0 && lanes != 0; --bit) {
    const std::uint64_t uniform = word();
    if ((threshold >> bit) & 1U) {
      less |= lanes & ~uniform;
      lanes &= uniform;
    } else {
      lanes &= ~uniform;
    }
  }
  return less;
}

}  // namespace futurerand
