// ValuePlan: how precise answers about labels, texts or buckets are, and which max_changes serves
// them best.
//
// A change of a value flips the question of a device with chance 1/2. So a plan for fewer changes
// than the values make has less noise, and biases only the devices whose questions flip more often.
// core/coding/coding.md has the formulas.
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
  // A device with as many value changes as asked for loses this share of its own label, averaged
  // over the periods. What is lost appears at its previous label.
  double loss = 0;
  double error = 0;  // noise and loss together, for a label that kTypicalShare of the devices hold
};

struct ValuePlan {
  std::vector<ValueChoice> choices;  // max_changes from 0 to the changes asked for
  std::size_t best = 0;              // the one with the least error
  // Devices that the best one needs for labels of 1%, 5% and 10%: the standard deviation is then a
  // quarter of the label.
  std::vector<std::pair<double, double>> devices_for_share;
};

inline constexpr double kTypicalShare = 0.1;

// Requires parameters of a coding with rows. Fails as MetricParameters::plan does, or once stopped.
Result<ValuePlan> make_value_plan(const MetricParameters& question, std::uint64_t users,
                                  const Progress& progress = {});

}  // namespace futurerand
