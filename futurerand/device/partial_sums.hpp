// PartialSums: the sums of a user's changes over dyadic intervals, online and in two bits. The sum
// over (a, b] of the changes x_t = v_t - v_(t-1) is v_b - v_a. So only the current value and the
// value at the end of the last interval are stored. [OWW22] section 4.1, "partial sum", for any
// horizon and with v = 0 before joining.
#pragma once

#include <cstdint>

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

// One observation: the user held `before` in all periods since the last observation and before
// `period`, and `after` from then on. A value is 0 or 1, or up to the full scale for numbers, which
// have no partial sums.
struct ValueStep {
  Period period;
  std::uint32_t before;
  std::uint32_t after;

  std::uint32_t at(Period t) const { return t < period ? before : after; }
};

class PartialSums {
 public:
  // Holds 0 until `joined`.
  explicit PartialSums(Period joined) : now_(joined - 1) {}
  // Continues from saved values.
  PartialSums(Period now, std::uint32_t value, bool value_at_end)
      : now_(now), value_(value), value_at_end_(value_at_end) {}

  // Requires period > now(). With `is_start` the value counts as held since joining: the earlier
  // value is unknown.
  ValueStep step(Period period, std::uint32_t value, bool is_start = false) {
    const ValueStep step{period, is_start ? value : value_, value};
    now_ = period;
    value_ = value;
    return step;
  }

  // Returns the sum over the interval that ends in this period, in {-1, 0, +1}. Requires ends in
  // rising order and within the step. The value does not change between the first and the last end
  // of a step: those sums are 0, and the caller may skip them.
  int sum_to(const ValueStep& step, Period end) {
    const bool value = step.at(end) != 0;
    const int sum = int{value} - int{value_at_end_};
    value_at_end_ = value;
    return sum;
  }

  Period now() const { return now_; }
  std::uint32_t value() const { return value_; }
  bool value_at_end() const { return value_at_end_; }

  friend bool operator==(const PartialSums&, const PartialSums&) = default;

 private:
  Period now_;
  std::uint32_t value_ = 0;
  bool value_at_end_ = false;  // of the last summed interval
};

}  // namespace futurerand
