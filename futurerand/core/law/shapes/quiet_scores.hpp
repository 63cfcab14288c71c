// Exact sums over the noise vectors of a QuietLaw, by their score: the sum of their symbols.
#pragma once

#include "futurerand/core/base/exact.hpp"
#include "futurerand/core/law/shapes/quiet_law.hpp"

namespace futurerand {

struct QuietScores {
  // Requires integers in range; loud_side is not looked at.
  explicit QuietScores(const QuietLaw& law);

  // These hold for symbols as they are where nothing changes: the chance of a score above tau, the
  // mean of the score where it is above tau (0 elsewhere), and the denominator of both.
  BigInt loud;
  BigInt loud_moment;
  BigInt all;

  bool bounded() const { return loud * QuietLaw::kMaxTries >= all; }
};

}  // namespace futurerand
