// SignVector: the noise vector b in {-1,+1}^k, one bit a sign; of a sparse law in {-1,0,+1}^k.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "futurerand/core/base/sign.hpp"

namespace futurerand {

class SignVector {
 public:
  explicit SignVector(std::uint32_t size, bool may_be_zero = false)
      : size_(size), minus_((size + 63) / 64), silent_(may_be_zero ? minus_.size() : 0) {}

  std::uint32_t size() const { return size_; }
  bool is_minus(std::uint32_t j) const { return (minus_[j / 64] >> (j % 64)) & 1U; }
  void set_minus(std::uint32_t j, bool minus) { set_bit(minus_, j, minus); }

  bool may_be_zero() const { return !silent_.empty(); }
  Sign at(std::uint32_t j) const {
    if (may_be_zero() && ((silent_[j / 64] >> (j % 64)) & 1U)) return Sign::kZero;
    return sign_of(is_minus(j));
  }
  // Requires may_be_zero() for kZero.
  void set(std::uint32_t j, Sign sign) {
    set_bit(minus_, j, sign == Sign::kMinus);
    if (may_be_zero()) set_bit(silent_, j, sign == Sign::kZero);
  }

  // Returns the same symbols from position `first` on, and then those before it. Requires first <
  // size().
  SignVector rotated(std::uint32_t first) const {
    SignVector result(size_, may_be_zero());
    for (std::uint32_t j = 0; j < size_; ++j) {
      result.set(j, at(j < size_ - first ? first + j : j - (size_ - first)));
    }
    return result;
  }

  // Overwrites every symbol.
  void erase() {
    for (std::uint64_t& word : minus_) word = 0;
    for (std::uint64_t& word : silent_) word = 0;
  }

  // Sets 64 signs at once; bits past the end are dropped.
  void set_word(std::size_t w, std::uint64_t minus) { minus_[w] = minus & lanes(w); }
  std::uint64_t word(std::size_t w) const { return minus_[w]; }
  // Does the same for zero symbols. Requires may_be_zero().
  void set_zero_word(std::size_t w, std::uint64_t silent) { silent_[w] = silent & lanes(w); }
  std::uint64_t zero_word(std::size_t w) const { return silent_[w]; }
  std::size_t num_words() const { return minus_.size(); }
  // Return all of them; the second is empty if no symbol can be zero.
  std::span<const std::uint64_t> words() const { return minus_; }
  std::span<const std::uint64_t> zero_words() const { return silent_; }
  // Returns the bits of word w with signs of this vector.
  std::uint64_t lanes(std::size_t w) const {
    return w + 1 < minus_.size() || size_ % 64 == 0 ? ~std::uint64_t{0}
                                                    : (std::uint64_t{1} << (size_ % 64)) - 1;
  }

  // Returns the symbol at a valid position; it becomes plus.
  Sign take(std::uint32_t j) {
    // Nobody can foretell a sign, a processor neither: it is computed without a branch.
    const int minus = static_cast<int>(take_bits(j, 1));
    const bool silent = may_be_zero() && take_zero_bits(j, 1) != 0;
    return silent ? Sign::kZero : static_cast<Sign>(1 - 2 * minus);
  }
  // Returns the next `count` signs from a position on, as bits: a set one is a minus. They become
  // plus. Requires 1 <= count <= 64, and valid positions.
  std::uint64_t take_bits(std::uint32_t from, std::uint32_t count) {
    return take_from(minus_, from, count);
  }
  // Does the same for zero symbols. Requires may_be_zero() too.
  std::uint64_t take_zero_bits(std::uint32_t from, std::uint32_t count) {
    return take_from(silent_, from, count);
  }
  // Counts the minus signs among `count` from a position on. Requires valid positions.
  std::uint32_t count_minus(std::uint32_t from, std::uint32_t count) const {
    return count_in(minus_, from, count);
  }
  // Does the same for silent symbols. Requires may_be_zero() too.
  std::uint32_t count_zeros(std::uint32_t from, std::uint32_t count) const {
    return count_in(silent_, from, count);
  }
  std::uint32_t count_minus() const {
    int count = 0;
    for (const std::uint64_t word : minus_) count += std::popcount(word);
    return static_cast<std::uint32_t>(count);
  }

  friend bool operator==(const SignVector&, const SignVector&) = default;

 private:
  using Words = std::vector<std::uint64_t>;

  static std::uint64_t bits_at(const Words& words, std::uint32_t from, std::uint32_t count) {
    const std::uint32_t shift = from % 64;
    std::uint64_t bits = words[from / 64] >> shift;
    if (shift + count > 64) bits |= words[from / 64 + 1] << (64 - shift);
    return count == 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
  }
  static std::uint64_t take_from(Words& words, std::uint32_t from, std::uint32_t count) {
    const std::uint64_t bits = bits_at(words, from, count);
    const std::uint32_t shift = from % 64;
    words[from / 64] &= ~(bits << shift);
    if (shift + count > 64) words[from / 64 + 1] &= ~(bits >> (64 - shift));
    return bits;
  }
  static std::uint32_t count_in(const Words& words, std::uint32_t from, std::uint32_t count) {
    int set = 0;
    for (std::uint32_t done = 0; done < count; done += 64) {
      set += std::popcount(bits_at(words, from + done, std::min(count - done, 64U)));
    }
    return static_cast<std::uint32_t>(set);
  }
  static void set_bit(Words& words, std::uint32_t j, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << (j % 64);
    words[j / 64] = value ? words[j / 64] | bit : words[j / 64] & ~bit;
  }

  std::uint32_t size_;
  Words minus_;
  Words silent_;  // empty if no symbol can be zero
};

}  // namespace futurerand
