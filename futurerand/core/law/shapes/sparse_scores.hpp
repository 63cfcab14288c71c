// Exact sums over the noise vectors of a SparseLaw, by their score: the sum of their symbols.
#pragma once

#include "futurerand/core/base/exact.hpp"
#include "futurerand/core/law/shapes/sparse_law.hpp"

namespace futurerand {

struct SparseScores {
  // Requires integers in range; high_side is not looked at.
  explicit SparseScores(const SparseLaw& law);

  // For symbols without a change: the chance of a score above tau, the mean of the score above tau
  // (0 elsewhere), and the denominator of both.
  BigInt loud;
  BigInt high_moment;
  BigInt all;

  bool bounded() const { return loud * SparseLaw::kMaxTries >= all; }
};

}  // namespace futurerand
