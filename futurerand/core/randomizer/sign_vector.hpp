// SignVector: the noise vector b in {-1,+1}^k, one bit a sign.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace futurerand {

enum class Sign : std::int8_t { kMinus = -1, kPlus = 1 };

constexpr Sign sign_of(bool minus) { return minus ? Sign::kMinus : Sign::kPlus; }

class SignVector {
 public:
  explicit SignVector(std::uint32_t size) : size_(size), minus_((size + 63) / 64) {}

  std::uint32_t size() const { return size_; }
  bool is_minus(std::uint32_t j) const { return (minus_[j / 64] >> (j % 64)) & 1U; }
  void set_minus(std::uint32_t j, bool minus) {
    const std::uint64_t bit = std::uint64_t{1} << (j % 64);
    minus_[j / 64] = minus ? minus_[j / 64] | bit : minus_[j / 64] & ~bit;
  }

  // Sets 64 signs at once; bits past the end are dropped.
  void set_word(std::size_t w, std::uint64_t minus) { minus_[w] = minus & lanes(w); }
  std::uint64_t word(std::size_t w) const { return minus_[w]; }
  std::size_t num_words() const { return minus_.size(); }
  // The bits of word w that are signs of this vector.
  std::uint64_t lanes(std::size_t w) const {
    return w + 1 < minus_.size() || size_ % 64 == 0 ? ~std::uint64_t{0}
                                                    : (std::uint64_t{1} << (size_ % 64)) - 1;
  }

  std::uint32_t count_minus() const {
    int count = 0;
    for (const std::uint64_t word : minus_) count += std::popcount(word);
    return static_cast<std::uint32_t>(count);
  }

  friend bool operator==(const SignVector&, const SignVector&) = default;

 private:
  std::uint32_t size_;
  std::vector<std::uint64_t> minus_;
};

}  // namespace futurerand
