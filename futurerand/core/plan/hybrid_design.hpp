// The design of `hybrid`: which orders are reported as changes, how far apart snapshots are taken,
// and which share of the users serves each, so that the mean variance over the periods is smallest.
// It searches in floating point. Nothing here decides privacy: the plan carries the integers.
#pragma once

#include <vector>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// The variances, over the number of users, that the recursion of the online estimate works with.
struct HybridVariances {
  std::vector<double> node;  // per order 0..g: variance of one node's own estimate; inf if no view
  double snapshot;           // the variance of one snapshot estimate; inf if no view
};

// Requires a valid plan whose views are changes at orders and at most one snapshot.
HybridVariances hybrid_variances(const Plan& plan);

// Views in order: changes at orders 0..g (those with a share), then the snapshot view at order g.
// Weights sum to 2^32. Requires arguments in range.
std::vector<View> design_hybrid(Period num_periods, std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
