// Clock: when the periods of a metric begin. Servers and devices share it.
//
// Thread safety: a plain value.
#pragma once

#include <cstdint>

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

// In seconds, and seconds since 1970.
struct Clock {
  std::int64_t start = 0;   // of period 1
  std::int64_t length = 0;  // of a period; 0: a manual clock, which the operator advances

  bool is_manual() const { return length == 0; }
  // Returns the current period: 0 before the start, at most `last`. Requires a clock that is not
  // manual, a start from 1970 on and a positive length.
  Period period_at(std::int64_t now, Period last) const {
    if (now < start) return 0;
    const std::int64_t complete = (now - start) / length;
    return complete < last ? static_cast<Period>(complete + 1) : last;
  }
  friend bool operator==(const Clock&, const Clock&) = default;
};

}  // namespace futurerand
