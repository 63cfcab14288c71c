// BitCounter: how often each of 64 bits was set, over many words. The counts are kept as bit planes
// (plane p holds bit p of every count), so that adding a word is a short ripple of carries instead
// of 64 additions.
#pragma once

#include <array>
#include <cstdint>

namespace futurerand {

class BitCounter {
 public:
  void add(std::uint64_t bits) {
    for (std::size_t plane = 0; bits != 0; ++plane) {
      const std::uint64_t carry = planes_[plane] & bits;
      planes_[plane] ^= bits;
      bits = carry;
    }
    if (++added_ == kMost) flush();
  }

  // Returns how often bit i was set.
  std::uint64_t count(std::uint32_t i) const { return flushed_[i] + in_planes(i); }

  void merge(const BitCounter& other) {
    for (std::uint32_t i = 0; i < 64; ++i) flushed_[i] += other.count(i);
  }

 private:
  static constexpr std::uint32_t kPlanes = 12;
  static constexpr std::uint32_t kMost = (1U << kPlanes) - 1;

  std::uint64_t in_planes(std::uint32_t i) const {
    std::uint64_t count = 0;
    for (std::uint32_t p = 0; p < kPlanes; ++p) count |= ((planes_[p] >> i) & 1U) << p;
    return count;
  }

  void flush() {
    for (std::uint32_t i = 0; i < 64; ++i) flushed_[i] += in_planes(i);
    planes_ = {};
    added_ = 0;
  }

  std::array<std::uint64_t, kPlanes> planes_{};
  std::array<std::uint64_t, 64> flushed_{};
  std::uint32_t added_ = 0;
};

}  // namespace futurerand
