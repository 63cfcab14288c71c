// PartialSums: a user's values, period by period, into the sums of their changes over dyadic
// intervals, online and in two bits: the sum over (a, b] of the changes x_t = v_t - v_(t-1) is
// v_b - v_a, so all that must be remembered is the value now and the value where the last interval
// ended. [OWW22] section 4.1, "partial sum", for any horizon and with v = 0 before joining.
#pragma once

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

// This is one observation: `before` was held in all periods before `period` since the last one,
// `after` from then on.
struct ValueStep {
  Period period;
  bool before;
  bool after;

  bool at(Period t) const { return t < period ? before : after; }
};

class PartialSums {
 public:
  // Holds 0 until `joined`.
  explicit PartialSums(Period joined) : now_(joined - 1) {}
  // Goes on from what was saved.
  PartialSums(Period now, bool value, bool value_at_end)
      : now_(now), value_(value), value_at_end_(value_at_end) {}

  // Requires period > now().
  ValueStep step(Period period, bool value) {
    const ValueStep step{period, value_, value};
    now_ = period;
    value_ = value;
    return step;
  }

  // Returns the sum over the interval that ends in this period, in {-1, 0, +1}. Requires ends in
  // rising order and within the step. Between the first end of a step and the last one the value
  // does not change: those sums are 0, and the caller may leave them out.
  int sum_to(const ValueStep& step, Period end) {
    const int sum = int{step.at(end)} - int{value_at_end_};
    value_at_end_ = step.at(end);
    return sum;
  }

  Period now() const { return now_; }
  bool value() const { return value_; }
  bool value_at_end() const { return value_at_end_; }

  friend bool operator==(const PartialSums&, const PartialSums&) = default;

 private:
  Period now_;
  bool value_ = false;
  bool value_at_end_ = false;  // of the last interval that was summed
};

}  // namespace futurerand
