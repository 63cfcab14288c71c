// Clock: when the periods of a metric begin. Servers and devices share it.
//
// Thread safety: a plain value.
#pragma once

#include <chrono>
#include <cstdint>

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

struct Clock {
  std::chrono::sys_seconds start = {};  // of period 1
  std::chrono::seconds length{0};  // of a period; 0: a manual clock, which the operator advances

  bool is_manual() const { return length.count() == 0; }
  // Returns the current period: 0 before the start, at most `last`. Requires that the clock is not
  // manual and that its start is not before 1970.
  Period period_at(std::chrono::sys_seconds now, Period last) const {
    if (now < start) return 0;
    const std::int64_t complete = (now - start) / length;
    return static_cast<Period>(complete < last ? complete + 1 : last);
  }
  friend bool operator==(const Clock&, const Clock&) = default;
};

}  // namespace futurerand
