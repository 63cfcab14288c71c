// Exact arithmetic for laws and certificates: big integers, unreduced fractions (a gcd of numbers
// with 2^18 bits costs more than all the rest), and a lower bound on e^x.
#pragma once

#include <cstdint>

#include <boost/multiprecision/cpp_int.hpp>

namespace futurerand {

using BigInt = boost::multiprecision::cpp_int;

// The value is numerator / denominator, and the denominator is positive.
struct Fraction {
  BigInt numerator;
  BigInt denominator{1};
};

// These comparisons are exact.
bool less_or_equal(const Fraction& a, const Fraction& b);
bool equal(const Fraction& a, const Fraction& b);

// Returns a double that is right to a few units in the last place, however long the integers are.
double to_double(const Fraction& a);

// Returns ln(a) for a > 0. The relative error stays small even if a is close to 1.
double log(const Fraction& a);

// Returns a dyadic rational just below e^(nanos / (1e9 * divisor)), for an exponent of 0 to 16. It
// sums the Taylor series in fixed point and rounds every step down, so that the bound is rigorous;
// it falls short of e^x by less than 2^-230 (the first of some hundred roundings is multiplied by
// up to e^16 / 16).
Fraction exp_below(std::int64_t nanos, std::uint64_t divisor = 1);

BigInt two_to(std::uint32_t exponent);
BigInt power(const BigInt& base, std::uint32_t exponent);

// Walks C(k, 0), C(k, 1), ... with one multiplication and one exact division per step.
class BinomialRow {
 public:
  explicit BinomialRow(std::uint32_t k) : k_(k) {}
  const BigInt& value() const { return value_; }
  std::uint32_t index() const { return i_; }
  void advance() {
    value_ *= k_ - i_;
    value_ /= ++i_;
  }

 private:
  std::uint32_t k_;
  std::uint32_t i_ = 0;
  BigInt value_{1};
};

BigInt binomial(std::uint32_t k, std::uint32_t i);

}  // namespace futurerand
