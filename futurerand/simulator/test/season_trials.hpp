// Trials of a metric without an end, and their errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/simulator/season_protocol.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand::test {

struct SeasonTrials {
  Plan plan = *make_plan(Protocol::kInnovation, 90, 1, *Epsilon::parse("1"), Initial::kUnknown);
  Calendar calendar = *Calendar::create(90, 15, 90);
  std::string population = "uniform";
  std::uint32_t changes = 1;  // of each user, in all cycles together
  std::uint32_t cycles = 3;
  std::uint64_t users = 1000;
  std::uint64_t trials = 100;
  ChurnPattern churn = {};
  std::uint64_t seed = 7;
  std::size_t from = 0;  // periods before it are left out of sd and bias: few devices are there
};

// Errors of the share times the root of the number of all devices.
struct SeasonErrors {
  double share_sd = 0;
  double coverage = 0;
  double bias = 0;  // mean over periods and trials, with its standard error over trials
  double bias_error = 0;
  double step_ratio = 0;
  double undetermined = 0;
  double predicted_sd = 0;  // not a number while devices come and go
  // By the period's place between two starts of seasons, from the second cycle on. All cycles are
  // alike, so each has the periods of one place in all of them.
  std::vector<double> coverage_by_place = {};
};

inline SeasonErrors run_seasons(const SeasonTrials& asked) {
  const auto periods = static_cast<Period>(asked.calendar.cycle() * asked.cycles);
  ProtocolSettings settings{asked.users, periods, asked.changes, asked.plan.epsilon};
  const std::unique_ptr<SimulatedProtocol> protocol =
      *make_season_protocol(asked.plan, asked.calendar, settings);
  const SimulationKey key = SimulationKey::from_seed(asked.seed);
  const Population population = *Population::named(
      asked.population, {asked.users, periods, asked.changes, Initial::kUnknown, asked.plan.coding},
      key);
  const std::optional<Churn> churn =
      asked.churn.is_plain() ? std::nullopt
                             : std::optional<Churn>(std::in_place, asked.churn, periods, key,
                                                    asked.plan.coding.full_scale());
  const Workers workers(2);
  const std::vector<double> truth = true_shares(population, churn ? &*churn : nullptr, workers);
  SimulationSettings run;
  run.key = key;
  run.threads = 2;
  run.keep_trials = true;
  run.trials = asked.trials;
  run.churn = churn ? &*churn : nullptr;
  StepNoise steps(asked.calendar, truth, periods);
  SeasonErrors errors;
  const auto places = static_cast<std::size_t>(asked.calendar.every());
  std::vector<double> inside(places), all(places);
  run.each_trial = [&](const std::vector<PeriodEstimate>& trial) {
    steps.add(trial);
    const std::vector<Band> bands = pointwise_bands(trial, run.level);
    for (std::size_t i = 0; i < trial.size(); ++i) {
      if (trial[i].period <= asked.calendar.cycle()) continue;
      const std::size_t place = (trial[i].period - 1) % places;
      inside[place] += bands[i].lower <= truth[i] && truth[i] <= bands[i].upper ? 1 : 0;
      all[place] += 1;
    }
  };
  const SimulationResult result = *simulate(*protocol, population, truth, run);

  for (std::size_t place = 0; place < places; ++place) {
    errors.coverage_by_place.push_back(inside[place] / all[place]);
  }
  const double root = std::sqrt(static_cast<double>(asked.users));
  errors.coverage = result.band_coverage;
  errors.undetermined = result.undetermined;
  errors.predicted_sd = result.predicted_rmse.value_or(NAN) / root;
  errors.step_ratio = steps.ratio();
  double sum = 0, squares = 0, all_squares = 0;
  const auto num_periods = static_cast<double>(truth.size() - asked.from);
  for (const std::vector<double>& trial : result.by_trial) {
    double mean = 0;
    for (std::size_t t = asked.from; t < trial.size(); ++t) {
      const double error = (trial[t] - truth[t]) / root;
      mean += error / num_periods;
      all_squares += error * error / num_periods;
    }
    sum += mean;
    squares += mean * mean;
  }
  const auto trials = static_cast<double>(asked.trials);
  errors.bias = sum / trials;
  errors.share_sd = std::sqrt(all_squares / trials);
  errors.bias_error = std::sqrt((squares / trials - errors.bias * errors.bias) / trials);
  return errors;
}

}  // namespace futurerand::test
