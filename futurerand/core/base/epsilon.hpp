// Epsilon: a privacy budget as the exact decimal that its user wrote, kept as whole billionths.
// 1e-6 <= epsilon <= 16 and at most nine decimals, so that every later bound is integer arithmetic.
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

  // Accepts plain decimals such as "1" and "0.25" and refuses "1e-3", so that what is certified is
  // what was written.
  static Result<Epsilon> parse(std::string_view text);
  static Result<Epsilon> from_nanos(std::int64_t nanos);

  std::int64_t nanos() const { return nanos_; }
  // Serves display and predicted errors. Nothing that decides privacy may use it.
  double value() const { return static_cast<double>(nanos_) / static_cast<double>(kNanosPerUnit); }
  // Returns the shortest decimal text that parses to the same budget.
  std::string text() const;

  friend auto operator<=>(const Epsilon&, const Epsilon&) = default;

 private:
  explicit Epsilon(std::int64_t nanos) : nanos_(nanos) {}
  std::int64_t nanos_;
};

}  // namespace futurerand
