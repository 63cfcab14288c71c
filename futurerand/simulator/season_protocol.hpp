// SeasonProtocol: a metric without an end over a simulated population. Each device draws a phase,
// takes part in the seasons of its phase as a new device, and rests in between. The estimate is the
// sum over live panels (estimator/panels.hpp).
//
// Estimates are the share of 1 among all devices, resting ones included, times the number of users.
// With labels or buckets there is one for each figure (held_counts.hpp).
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

// `settings.num_periods` counts periods of the one clock, from its first on. The plan is that of a
// season. Requires settings.num_users of at least 1. Fails if the plan is not certified.
Result<std::unique_ptr<SimulatedProtocol>> make_season_protocol(Plan season,
                                                                const Calendar& calendar,
                                                                const ProtocolSettings& settings);

// Element t-1 is the share of 1 in period t among present devices, times the number of users. A
// number counts as its share of the range. Labels and buckets are as in true_counts. Devices come
// and go by `churn`, or all are present throughout.
std::vector<double> true_shares(const Population& population, const Churn* churn,
                                const Workers& workers);

// How much noisier the step to the first period of a season is than other steps: the ratio of the
// standard deviations of the change in error from one period to the next, over all trials and
// figures. Steps within the first cycle are left out.
class StepNoise {
 public:
  // `truth` is true_shares of so many periods. It must outlive this.
  StepNoise(const Calendar& calendar, const std::vector<double>& truth, Period num_periods)
      : calendar_(calendar), truth_(truth), num_periods_(num_periods) {}

  // Adds the estimates of one trial.
  void add(const std::vector<PeriodEstimate>& estimates);
  // Not a number if there was no such step.
  double ratio() const { return std::sqrt(at_start_.mean() / elsewhere_.mean()); }

 private:
  struct Squares {
    double sum = 0, count = 0;
    void add(double square) {
      sum += square;
      count += 1;
    }
    double mean() const { return sum / count; }
  };

  Calendar calendar_;
  const std::vector<double>& truth_;
  std::size_t num_periods_;
  Squares at_start_, elsewhere_;
};

}  // namespace futurerand
