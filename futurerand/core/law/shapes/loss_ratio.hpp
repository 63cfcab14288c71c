// LossRatio: the probability of the likeliest noise vector of a law over that of the least likely
// one. [OWW22] property I: its logarithm is the privacy loss of all messages of a device.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/base/exact.hpp"

namespace futurerand {

// The ratio is base^exponent: a power need not be written out to be compared with e^epsilon.
struct LossRatio {
  Fraction base;
  std::uint32_t exponent;
};

// Returns the largest over the smallest. Requires at least one likelihood, all of them positive.
LossRatio loss_between(const std::vector<Fraction>& likelihoods);

}  // namespace futurerand
