// simulate: one protocol over one population, many trials, and its errors.
//
// The result depends on the key, the protocol and the population only, bit for bit: not on the
// number of threads, and not on other simulations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

struct SimulationSettings {
  SimulationKey key;
  std::uint64_t trials = 1;
  Engine engine = Engine::kUsers;
  double level = 0.95;  // of the pointwise bands
  unsigned threads = 1;
  const std::atomic<bool>* cancel = nullptr;  // raised: simulate fails with "interrupted"
  std::function<void(double)> progress;       // hears the share done, on the calling thread
  std::function<std::unique_ptr<RandomSource>()> entropy;  // see Trial
  bool keep_trials = false;                                // see SimulationResult::by_trial
  const Churn* churn = nullptr;                            // see Trial
  // Receives the estimates of each trial, on the calling thread.
  std::function<void(const std::vector<PeriodEstimate>&)> each_trial = {};
};

// This is one period; estimates and bands are those of the first trial, an example to draw.
struct SimulatedPeriod {
  Period period;
  double truth;
  double estimate;
  double stddev;
  Band band;
  double bias;    // mean error over all trials
  double bias_z;  // bias over its predicted standard error (without a prediction: the stated one)
};

struct SimulationResult {
  ProtocolTraits traits;
  std::uint64_t trials;
  double rmse;
  double max_error;      // mean over trials of the largest absolute error
  double band_coverage;  // not a number if the protocol has no bands
  double undetermined;   // share of periods and trials without an estimate
  double clipped_users;  // mean over trials
  std::optional<double> predicted_rmse;
  // The root mean square over periods of the known clipping bias; predicted_rmse has none of it.
  std::optional<double> clipping_bias;
  std::vector<SimulatedPeriod> periods;
  std::uint64_t alarms = 0;  // trials with contradicting reports
  // The same by the failed test, with its words.
  std::map<std::string, std::uint64_t> alarms_by = {};
  std::vector<double> expected_bias = {};  // the same by period; empty if there is none
  // With adversaries: their shift of each period, and the maximum shift by one of them. Means over
  // trials, element t-1 is period t.
  std::vector<double> moved = {};
  std::vector<double> one_moves_at_most = {};
  std::optional<double> cap_bias = {};      // the largest of the trials'
  std::vector<double> squared_errors = {};  // each trial's mean squared error over periods
  // Each trial's estimates, element t-1 is period t; empty unless they were to be kept. With labels
  // or buckets as in true_counts.
  std::vector<std::vector<double>> by_trial = {};
  // For labels and buckets: the names of all figures, and the one shown in `periods`. All figures
  // of period 1, then all of period 2, and so on. Errors and coverage are over all of them.
  std::vector<std::string> figure_names = {};
  std::size_t shown = 0;
  std::vector<SimulatedPeriod> figures = {};
};

// `truth` is true_counts of the population. Requires level in (0, 1), trials and threads >= 1.
Result<SimulationResult> simulate(const SimulatedProtocol& protocol, const Population& population,
                                  const std::vector<double>& truth,
                                  const SimulationSettings& settings);

}  // namespace futurerand
