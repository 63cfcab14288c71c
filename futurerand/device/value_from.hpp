// ValueFrom: a value held from this period on.
#pragma once

#include <cstdint>

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

struct ValueFrom {
  Period period;
  std::uint32_t value;  // 0 or 1, or a number as Device takes it
  friend bool operator==(const ValueFrom&, const ValueFrom&) = default;
};

}  // namespace futurerand
