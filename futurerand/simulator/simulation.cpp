#include "futurerand/simulator/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "futurerand/simulator/error_statistics.hpp"
#include "futurerand/simulator/populations/held_counts.hpp"

namespace futurerand {
namespace {

// All figures of period 1, then all of period 2, and so on.
std::vector<SimulatedPeriod> by_period(const std::vector<PeriodEstimate>& first,
                                       const std::vector<double>& truth,
                                       const std::optional<std::vector<double>>& predicted,
                                       const ErrorStatistics& errors, double level) {
  const std::vector<Band> bands = pointwise_bands(first, level);
  std::vector<SimulatedPeriod> periods;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double variance = predicted ? (*predicted)[i] : errors.mean_variance(i);
    const double error = std::sqrt(variance / static_cast<double>(errors.trials()));
    periods.push_back({first[i].period, truth[i], first[i].estimate, first[i].stddev, bands[i],
                       errors.bias(i), errors.bias(i) / error});
  }
  return periods;
}

// The most frequent label in the last period, or the threshold in the middle.
std::size_t shown_figure(const Coding& coding, const std::vector<double>& truth) {
  const std::size_t count = num_figures(coding);
  if (coding.kind() == CodingKind::kDistribution) return count / 2;
  const auto last = truth.end() - static_cast<std::ptrdiff_t>(count);
  return static_cast<std::size_t>(std::max_element(last, truth.end()) - last);
}

std::optional<double> root_mean(const std::optional<std::vector<double>>& variances) {
  if (!variances) return std::nullopt;
  const double sum = std::accumulate(variances->begin(), variances->end(), 0.0);
  return std::sqrt(sum / static_cast<double>(variances->size()));
}

std::optional<double> root_mean_square(std::optional<std::vector<double>> values) {
  if (values) {
    for (double& value : *values) value *= value;
  }
  return root_mean(values);
}

void add_mean(const std::vector<double>& values, double trials, std::vector<double>& means) {
  means.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) means[i] += values[i] / trials;
}

}  // namespace

Result<SimulationResult> simulate(const SimulatedProtocol& protocol, const Population& population,
                                  const std::vector<double>& truth,
                                  const SimulationSettings& settings) {
  const double trials = static_cast<double>(settings.trials);
  std::uint64_t number = 0;
  std::function<void(double)> progress;
  if (settings.progress) {
    progress = [&](double share) {
      settings.progress((static_cast<double>(number) + share) / trials);
    };
  }
  const Workers workers(settings.threads, settings.cancel, progress);
  const Workers quiet(settings.threads, settings.cancel);
  ErrorStatistics errors(truth, settings.level);
  std::vector<PeriodEstimate> first;
  std::uint64_t clipped = 0;
  std::uint64_t alarms = 0;
  std::map<std::string, std::uint64_t> alarms_by;
  std::vector<double> moved, at_most;
  std::optional<double> cap_bias;
  std::vector<std::vector<double>> by_trial;
  for (; number < settings.trials; ++number) {
    const Trial trial{settings.key, number,           settings.engine,
                      workers,      settings.entropy, settings.churn};
    const Result<TrialOutcome> outcome = protocol.run(population, trial);
    if (workers.cancelled()) return Error{"interrupted"};
    if (!outcome) return outcome.error();
    errors.add(outcome->estimates);
    clipped += outcome->clipped_users;
    alarms += outcome->alarm ? 1U : 0U;
    if (outcome->alarm) ++alarms_by[std::string(outcome->alarm.text)];
    add_mean(outcome->moved, trials, moved);
    add_mean(outcome->one_moves_at_most, trials, at_most);
    cap_bias = std::max(cap_bias, outcome->cap_bias);  // no bias is less than any
    if (number == 0) first = outcome->estimates;
    if (settings.each_trial) settings.each_trial(outcome->estimates);
    if (!settings.keep_trials) continue;
    by_trial.emplace_back();
    for (const PeriodEstimate& at : outcome->estimates) by_trial.back().push_back(at.estimate);
  }
  // Predictions assume full participation from the first period to the last.
  const std::optional<std::vector<double>> predicted =
      settings.churn == nullptr ? protocol.predicted_variances() : std::nullopt;
  const std::optional<std::vector<double>> bias =
      settings.churn == nullptr ? protocol.expected_bias(population, quiet) : std::nullopt;
  if (quiet.cancelled()) return Error{"interrupted"};
  const Coding& coding = population.coding();
  SimulationResult result{protocol.traits(),
                          settings.trials,
                          errors.rmse(),
                          errors.max_error(),
                          protocol.traits().has_bands ? errors.band_coverage()
                                                      : std::numeric_limits<double>::quiet_NaN(),
                          errors.undetermined(),
                          static_cast<double>(clipped) / trials,
                          root_mean(predicted),
                          root_mean_square(bias),
                          by_period(first, truth, predicted, errors, settings.level),
                          alarms,
                          std::move(alarms_by),
                          bias.value_or(std::vector<double>()),
                          std::move(moved),
                          std::move(at_most),
                          cap_bias,
                          errors.squared_errors(),
                          std::move(by_trial)};
  if (!coding.has_rows()) return result;
  result.figure_names = futurerand::figure_names(coding);
  result.shown = shown_figure(coding, truth);
  result.figures = std::move(result.periods);
  result.periods.clear();
  for (std::size_t i = result.shown; i < result.figures.size(); i += num_figures(coding)) {
    result.periods.push_back(result.figures[i]);
  }
  return result;
}

}  // namespace futurerand
