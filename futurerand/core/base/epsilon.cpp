#include "futurerand/core/base/epsilon.hpp"

namespace futurerand {
namespace {

Error malformed(std::string_view text) {
  return Error{"epsilon '" + std::string(text) +
               "' is not a plain decimal; expected at most 9 decimals, such as 1 or 0.25"};
}

}  // namespace

Result<Epsilon> Epsilon::parse(std::string_view text) {
  constexpr int kMaxDecimals = 9;
  std::int64_t nanos = 0;
  int decimals = -1;  // -1 until the point
  bool any_digit = false;
  for (const char c : text) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
      continue;
    }
    if (c < '0' || c > '9' || decimals == kMaxDecimals) return malformed(text);
    any_digit = true;
    if (decimals >= 0) ++decimals;
    nanos = nanos * 10 + (c - '0');
    // Anything this large is out of range already; stopping here keeps the integer from
    // overflowing.
    if (nanos > kMaxNanos * 10)
      return Error{"epsilon " + std::string(text) + " is out of range; expected 0.000001 to 16"};
  }
  if (!any_digit) return malformed(text);
  for (int i = decimals < 0 ? 0 : decimals; i < kMaxDecimals; ++i) {
    nanos *= 10;
    if (nanos > kMaxNanos) break;
  }
  if (nanos < kMinNanos || nanos > kMaxNanos) {
    return Error{"epsilon " + std::string(text) + " is out of range; expected 0.000001 to 16"};
  }
  return Epsilon(nanos);
}

Result<Epsilon> Epsilon::from_nanos(std::int64_t nanos) {
  if (nanos < kMinNanos || nanos > kMaxNanos) {
    return Error{"epsilon of " + std::to_string(nanos) + " billionths is out of range; expected " +
                 std::to_string(kMinNanos) + " to " + std::to_string(kMaxNanos)};
  }
  return Epsilon(nanos);
}

std::string Epsilon::text() const {
  std::string whole = std::to_string(nanos_ / kNanosPerUnit);
  std::string fraction = std::to_string(nanos_ % kNanosPerUnit);
  fraction.insert(0, 9 - fraction.size(), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fraction.empty() ? whole : whole + "." + fraction;
}

}  // namespace futurerand
