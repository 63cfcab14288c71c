#include "futurerand/core/base/exact.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <boost/throw_exception.hpp>

#include "futurerand/core/base/epsilon.hpp"

#ifdef BOOST_NO_EXCEPTIONS
// Boost asks builds without exceptions for these two; every call in core is guarded so that none
// throws.
namespace boost {
void throw_exception(const std::exception&) { std::abort(); }
void throw_exception(const std::exception&, const boost::source_location&) { std::abort(); }
}  // namespace boost
#endif

namespace futurerand {
namespace {

constexpr unsigned kFixedPointBits = 256;

int bit_length(const BigInt& a) { return static_cast<int>(msb(a)) + 1; }

// floor(a * 2^shift / b) keeps 80 significant bits or more; a double needs 53.
double ratio(const BigInt& a, const BigInt& b) {
  if (a.is_zero()) return 0;
  const int shift = 80 - (bit_length(a) - bit_length(b));
  const BigInt quotient = shift >= 0 ? BigInt((a << shift) / b) : BigInt(a / (b << -shift));
  return std::ldexp(quotient.convert_to<double>(), -shift);
}

}  // namespace

bool less_or_equal(const Fraction& a, const Fraction& b) {
  return a.numerator * b.denominator <= b.numerator * a.denominator;
}

bool equal(const Fraction& a, const Fraction& b) {
  return a.numerator * b.denominator == b.numerator * a.denominator;
}

double to_double(const Fraction& a) {
  return a.numerator < 0 ? -ratio(-a.numerator, a.denominator) : ratio(a.numerator, a.denominator);
}

double log(const Fraction& a) {
  // Taking log1p of the exact difference keeps all digits of a ratio such as 1 + 1e-9.
  const double excess = to_double({a.numerator - a.denominator, a.denominator});
  return std::log1p(excess);
}

Fraction exp_below(std::int64_t nanos, std::uint64_t divisor) {
  const BigInt denominator = BigInt(Epsilon::kNanosPerUnit) * divisor;
  BigInt term = two_to(kFixedPointBits);
  BigInt sum = term;
  // Every term is rounded down and those after the first zero are left out, so the sum is never
  // above e^x.
  for (std::uint32_t i = 1; !term.is_zero(); ++i) {
    term = term * nanos / (denominator * i);
    sum += term;
  }
  return {sum, two_to(kFixedPointBits)};
}

BigInt two_to(std::uint32_t exponent) { return BigInt(1) << exponent; }

BigInt power(const BigInt& base, std::uint32_t exponent) {
  return boost::multiprecision::pow(base, exponent);
}

BigInt binomial(std::uint32_t k, std::uint32_t i) {
  if (i > k) return 0;
  BinomialRow row(k);
  while (row.index() < std::min(i, k - i)) row.advance();
  return row.value();
}

}  // namespace futurerand
