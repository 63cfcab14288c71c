// The quantile of a standard normal variable, exact to rounding for tiny tails too.
#pragma once

namespace futurerand {

// Returns z with P(|Z| > z) = missed. Requires 0 < missed < 1.
double two_sided_quantile(double missed);

}  // namespace futurerand
