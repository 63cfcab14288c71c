// Epsilon: a privacy budget as an exact decimal, kept as whole billionths. 1e-6 <= epsilon <= 16
// and at most nine decimals, so every later bound is integer arithmetic.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

class Epsilon {
 public:
  static constexpr std::int64_t kNanosPerUnit = 1'000'000'000;
  static constexpr std::int64_t kMinNanos = 1'000;
  static constexpr std::int64_t kMaxNanos = 16 * kNanosPerUnit;

  // Accepts plain decimals such as "1" and "0.25" and rejects "1e-3": the certified budget is the
  // written one.
  static Result<Epsilon> parse(std::string_view text);
  static Result<Epsilon> from_nanos(std::int64_t nanos);

  std::int64_t nanos() const { return nanos_; }
  // For display and predicted errors only. Privacy decisions must not use it.
  double value() const { return static_cast<double>(nanos_) / static_cast<double>(kNanosPerUnit); }
  // Returns the shortest decimal text of the same budget.
  std::string text() const;

  friend auto operator<=>(const Epsilon&, const Epsilon&) = default;

 private:
  explicit Epsilon(std::int64_t nanos) : nanos_(nanos) {}
  std::int64_t nanos_;
};

}  // namespace futurerand
