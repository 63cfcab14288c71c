// PackedSigns: the signs of a report, from the device to the log. Two bits each: is it a minus, and
// is it a zero? Text exists in lines only (wire/sign_text.hpp). A report of up to 64 signs needs no
// memory of its own.
//
// Thread safety: a plain value.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "futurerand/core/base/sign.hpp"

namespace futurerand {

class PackedSigns {
 public:
  PackedSigns() = default;
  // `count` times the same sign.
  PackedSigns(std::uint32_t count, Sign sign) {
    while (count > 0) {
      const std::uint32_t some = count < 64 ? count : 64;
      append(some, sign == Sign::kMinus ? ~std::uint64_t{0} : 0,
             sign == Sign::kZero ? ~std::uint64_t{0} : 0);
      count -= some;
    }
  }

  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Requires i < size().
  Sign operator[](std::uint32_t i) const {
    const Word& word = at(i / 64);
    return (word.zero >> (i % 64)) & 1U ? Sign::kZero : sign_of((word.minus >> (i % 64)) & 1U);
  }

  // Returns bits of `count` signs from a position on. Bit i belongs to sign from + i, and marks a
  // minus or a zero. Requires 1 <= count <= 64 and from + count <= size().
  std::uint64_t minus_bits(std::uint32_t from, std::uint32_t count) const {
    return bits(&Word::minus, from, count);
  }
  std::uint64_t zero_bits(std::uint32_t from, std::uint32_t count) const {
    return bits(&Word::zero, from, count);
  }
  // Returns `count` signs from a position on. Requires from + count <= size().
  PackedSigns part(std::uint32_t from, std::uint32_t count) const {
    PackedSigns signs;
    for (std::uint32_t at = 0; at < count; at += 64) {
      const std::uint32_t some = count - at < 64 ? count - at : 64;
      signs.append(some, minus_bits(from + at, some), zero_bits(from + at, some));
    }
    return signs;
  }
  bool has_zero() const {
    std::uint64_t some = first_.zero;
    for (const Word& word : more_) some |= word.zero;
    return some != 0;
  }
  // Counts the pluses among `count` signs from a position on. Requires from + count <= size().
  std::uint32_t count_plus(std::uint32_t from, std::uint32_t count) const {
    std::uint32_t pluses = count;
    for (std::uint32_t at = 0; at < count; at += 64) {
      const std::uint32_t some = count - at < 64 ? count - at : 64;
      const std::uint64_t others = minus_bits(from + at, some) | zero_bits(from + at, some);
      pluses -= static_cast<std::uint32_t>(std::popcount(others));
    }
    return pluses;
  }

  // Appends 1 to 64 signs. Bit i marks sign i. Bits from `count` on are ignored, and so is a minus
  // at a zero.
  void append(std::uint32_t count, std::uint64_t minus, std::uint64_t zero) {
    const std::uint64_t lanes = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    zero &= lanes;
    minus &= lanes & ~zero;
    const std::uint32_t shift = size_ % 64;
    if (size_ >= 64 && shift == 0) more_.emplace_back();
    Word& last = more_.empty() ? first_ : more_.back();
    last.minus |= minus << shift;
    last.zero |= zero << shift;
    if (shift + count > 64) more_.push_back({minus >> (64 - shift), zero >> (64 - shift)});
    size_ += count;
  }
  void push_back(Sign sign) { append(1, sign == Sign::kMinus, sign == Sign::kZero); }
  // Makes it empty. Memory stays for the next signs.
  void clear() {
    size_ = 0;
    first_ = {};
    more_.clear();
  }

  friend bool operator==(const PackedSigns&, const PackedSigns&) = default;

 private:
  // Bits past the end are 0. No bit is set in both.
  struct Word {
    std::uint64_t minus = 0;
    std::uint64_t zero = 0;
    friend bool operator==(const Word&, const Word&) = default;
  };

  const Word& at(std::uint32_t w) const { return w == 0 ? first_ : more_[w - 1]; }
  std::uint64_t bits(std::uint64_t Word::*which, std::uint32_t from, std::uint32_t count) const {
    const std::uint32_t shift = from % 64;
    std::uint64_t some = at(from / 64).*which >> shift;
    if (shift + count > 64) some |= at(from / 64 + 1).*which << (64 - shift);
    return count == 64 ? some : some & ((std::uint64_t{1} << count) - 1);
  }

  std::uint32_t size_ = 0;
  Word first_;              // of the first 64 signs
  std::vector<Word> more_;  // of each further 64
};

}  // namespace futurerand
