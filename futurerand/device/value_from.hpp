// ValueFrom: from this period on a user holds this value; before the first one it holds 0.
#pragma once

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

struct ValueFrom {
  Period period;
  bool value;
  friend bool operator==(const ValueFrom&, const ValueFrom&) = default;
};

}  // namespace futurerand
