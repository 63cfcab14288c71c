#include "futurerand/study/pooled_result.hpp"

#include <cmath>
#include <limits>

namespace futurerand {
namespace {

// A mean with weights; not a number without any weight.
class Mean {
 public:
  void add(double value, double weight) {
    if (weight == 0 || std::isnan(value)) return;
    sum_ += value * weight;
    weight_ += weight;
  }
  double value() const {
    return weight_ > 0 ? sum_ / weight_ : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

std::optional<double> root_of(const Mean& squares) {
  const double mean = squares.value();
  return std::isnan(mean) ? std::nullopt : std::optional(std::sqrt(mean));
}

}  // namespace

SimulationResult pooled(const std::vector<SimulationResult>& results) {
  SimulationResult all = results.front();
  Mean squares, largest, covered, undetermined, clipped, predicted, bias;
  std::vector<Mean> biases(all.periods.size());
  for (const SimulationResult& result : results) {
    const double trials = static_cast<double>(result.trials);
    const double answered = trials * (1 - result.undetermined);
    squares.add(result.rmse * result.rmse, answered);
    largest.add(result.max_error, result.undetermined < 1 ? trials : 0);
    covered.add(result.band_coverage, answered);
    undetermined.add(result.undetermined, trials);
    clipped.add(result.clipped_users, trials);
    if (result.predicted_rmse) predicted.add(*result.predicted_rmse * *result.predicted_rmse, 1);
    if (result.clipping_bias) bias.add(*result.clipping_bias * *result.clipping_bias, 1);
    for (std::size_t t = 0; t < biases.size(); ++t) biases[t].add(result.periods[t].bias, trials);
    if (&result == &results.front()) continue;
    all.trials += result.trials;
    all.alarms += result.alarms;
    for (const auto& [test, times] : result.alarms_by) all.alarms_by[test] += times;
    all.squared_errors.insert(all.squared_errors.end(), result.squared_errors.begin(),
                              result.squared_errors.end());
    all.by_trial.insert(all.by_trial.end(), result.by_trial.begin(), result.by_trial.end());
  }
  all.rmse = root_of(squares).value_or(std::numeric_limits<double>::quiet_NaN());
  all.max_error = largest.value();
  all.band_coverage = covered.value();
  all.undetermined = undetermined.value();
  all.clipped_users = clipped.value();
  all.predicted_rmse = root_of(predicted);
  all.clipping_bias = root_of(bias);
  const double more =
      std::sqrt(static_cast<double>(all.trials) / static_cast<double>(results.front().trials));
  for (std::size_t t = 0; t < biases.size(); ++t) {
    SimulatedPeriod& at = all.periods[t];
    const double error = at.bias / at.bias_z / more;  // of a mean over all trials
    at.bias = biases[t].value();
    at.bias_z = at.bias / error;
  }
  return all;
}

}  // namespace futurerand
