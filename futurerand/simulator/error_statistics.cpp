#include "futurerand/simulator/error_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "futurerand/estimator/normal_quantile.hpp"

namespace futurerand {

ErrorStatistics::ErrorStatistics(std::vector<double> truth, double level)
    : truth_(std::move(truth)), level_(level), figures_(truth_.size()) {}

void ErrorStatistics::add(const std::vector<PeriodEstimate>& estimates) {
  const std::vector<Band> bands = pointwise_bands(estimates, level_);
  double largest = 0;
  double squares = 0;
  std::uint64_t determined = 0;
  for (std::size_t i = 0; i < truth_.size(); ++i) {
    if (!std::isfinite(estimates[i].estimate)) continue;
    const double truth = static_cast<double>(truth_[i]);
    const double error = estimates[i].estimate - truth;
    ++determined;
    ++figures_[i].determined;
    figures_[i].sum += error;
    figures_[i].variance += estimates[i].stddev * estimates[i].stddev;
    squares += error * error;
    sum_squares_ += error * error;
    largest = std::max(largest, std::abs(error));
    if (bands[i].lower <= truth && truth <= bands[i].upper) ++covered_;
  }
  sum_largest_ += largest;
  determined_ += determined;
  squared_errors_.push_back(squares / static_cast<double>(determined));
  ++trials_;
}

double ErrorStatistics::rmse() const {
  return std::sqrt(sum_squares_ / static_cast<double>(determined_));
}

double ErrorStatistics::max_error() const { return sum_largest_ / static_cast<double>(trials_); }

double ErrorStatistics::band_coverage() const {
  return static_cast<double>(covered_) / static_cast<double>(determined_);
}

double ErrorStatistics::undetermined() const {
  const double all = static_cast<double>(trials_) * static_cast<double>(truth_.size());
  return 1 - static_cast<double>(determined_) / all;
}

double ErrorStatistics::bias(std::size_t figure) const {
  return figures_[figure].sum / static_cast<double>(figures_[figure].determined);
}

double ErrorStatistics::mean_variance(std::size_t figure) const {
  return figures_[figure].variance / static_cast<double>(figures_[figure].determined);
}

std::optional<Band> rmse_interval(const std::vector<double>& squared_errors, double level) {
  const double trials = static_cast<double>(squared_errors.size());
  if (trials < 2) return std::nullopt;
  double mean = 0;
  for (const double error : squared_errors) mean += error / trials;
  double variance = 0;
  for (const double error : squared_errors) {
    variance += (error - mean) * (error - mean) / (trials - 1);
  }
  if (!std::isfinite(variance)) return std::nullopt;
  const double reach = two_sided_quantile(1 - level) * std::sqrt(variance / trials);
  return Band{std::sqrt(std::max(0.0, mean - reach)), std::sqrt(mean + reach)};
}

}  // namespace futurerand
