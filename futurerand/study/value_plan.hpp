// ValuePlan: the precision of answers about labels, texts or buckets, and the best max_changes for
// them.
//
// A change of a value flips the question of a device with chance 1/2. So a plan for fewer changes
// has less noise, and biases only devices with more flips of their question. core/coding/coding.md
// has the formulas.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/study/metric_parameters.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand {

// One candidate for max_changes. Errors are shares of the devices.
struct ValueChoice {
  std::uint32_t max_changes = 0;
  // Standard deviation of the count of a label, or the root mean square over the thresholds of a
  // distribution.
  double noise = 0;
  double mean_noise = 0;  // of the mean of a distribution, as a share of its range; otherwise 0
  // The share of its own label lost by a device with the requested number of changes, averaged over
  // the periods. The lost share appears at its previous label.
  double loss = 0;
  double error = 0;  // noise and loss together, for a label of kTypicalShare of the devices
};

struct ValuePlan {
  std::vector<ValueChoice> choices;  // max_changes from 0 to the changes asked for
  std::size_t best = 0;              // the one with the least error
  // Needed devices of the best one for labels of 1%, 5% and 10%: the standard deviation is then a
  // quarter of the label.
  std::vector<std::pair<double, double>> devices_for_share;
};

inline constexpr double kTypicalShare = 0.1;

// Requires parameters of a coding with rows. Fails as MetricParameters::plan does, or once stopped.
Result<ValuePlan> make_value_plan(const MetricParameters& question, std::uint64_t users,
                                  const Progress& progress = {});

}  // namespace futurerand
