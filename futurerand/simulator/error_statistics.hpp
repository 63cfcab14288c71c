// ErrorStatistics: how far estimates were from the truth, over trials. It draws nothing at random.
//
// Thread safety: one thread; trials are added in their order, so that sums of floats repeat.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "futurerand/estimator/estimate.hpp"

namespace futurerand {

class ErrorStatistics {
 public:
  // The truth has one or more figures for each period, in the order of the estimates. Bands are
  // pointwise at `level`, 0 < level < 1.
  ErrorStatistics(std::vector<double> truth, double level);

  // Adds the estimates of all figures in order; one that is not a number counts as undetermined
  // only.
  void add(const std::vector<PeriodEstimate>& estimates);

  std::uint64_t trials() const { return trials_; }
  double rmse() const;  // over figures and trials
  // Each trial's mean squared error over figures; NaN without an estimate.
  const std::vector<double>& squared_errors() const { return squared_errors_; }
  double max_error() const;      // mean over trials of the largest absolute error
  double band_coverage() const;  // share of figures and trials with the truth inside the band
  double undetermined() const;   // share of figures and trials without an estimate

  // Of one figure, from 0 on.
  double bias(std::size_t figure) const;           // mean error
  double mean_variance(std::size_t figure) const;  // mean of the stated variances

 private:
  struct OfFigure {
    std::uint64_t determined = 0;
    double sum = 0;       // of errors
    double variance = 0;  // sum of stated variances
  };

  std::vector<double> truth_;
  double level_;
  std::uint64_t trials_ = 0;
  std::uint64_t determined_ = 0;
  std::uint64_t covered_ = 0;
  double sum_squares_ = 0;
  std::vector<double> squared_errors_;
  double sum_largest_ = 0;
  std::vector<OfFigure> figures_;
};

// Returns a confidence interval of the root mean square error, from the mean squared errors of
// independent trials, by the normal approximation. None for fewer than two trials, and if one of
// them has no estimate. Requires 0 < level < 1.
std::optional<Band> rmse_interval(const std::vector<double>& squared_errors, double level);

}  // namespace futurerand
