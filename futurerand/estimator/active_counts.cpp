#include "futurerand/estimator/active_counts.hpp"

#include <algorithm>
#include <cmath>

namespace futurerand {
namespace {

// Presence adds up variances as if no report were a zero symbol. This is the share of nonzero
// reports. Each report counts by the square of its weight in the estimate of period t.
class ReportSquares {
 public:
  ReportSquares(const DeviceEstimate& estimate, const Sums& sums, Period up_to) {
    if (!estimate.has_zeros()) return;
    for (const double weight : estimate.weights()) squares_.push_back(weight * weight);
    for (Period t = 1; t <= up_to; ++t) {
      const IndexSum& reports = sums.at(0, t);
      counts_.push_back(static_cast<double>(reports.count));
      // Of few reports all may be zero, and still there is noise.
      nonzero_.push_back(
          std::max(static_cast<double>(reports.spoken), estimate.least_square() * counts_.back()));
    }
  }

  double mean(Period t) const {
    if (squares_.empty()) return 1;
    double all = 0, nonzero = 0;
    for (Period s = 1; s <= t; ++s) {
      all += squares_[t - s] * counts_[s - 1];
      nonzero += squares_[t - s] * nonzero_[s - 1];
    }
    return all > 0 ? nonzero / all : 1;
  }

 private:
  std::vector<double> squares_, counts_, nonzero_;  // empty if no report is zero
};

// Below zero only while the sums of some shards of a cluster are not known.
double none_or_more(std::int64_t devices) {
  return static_cast<double>(std::max<std::int64_t>(devices, 0));
}

}  // namespace

std::vector<double> nonzero_reports(const Sums& sums, const DeviceEstimate& estimate,
                                    std::size_t periods) {
  std::vector<double> nonzero;
  for (std::uint32_t t = 1; t <= periods; ++t) {
    const IndexSum& reports = sums.at(0, t);
    nonzero.push_back(std::max(static_cast<double>(reports.spoken),
                               estimate.least_square() * static_cast<double>(reports.count)));
  }
  return nonzero;
}

std::vector<ActiveCount> active_counts(const Sums& sums, const Presence& presence,
                                       const InactiveRule& rule, Period up_to) {
  const DeviceEstimate& estimate = presence.estimate();
  const ReportSquares squares(estimate, sums, up_to);
  std::vector<ActiveCount> counts;
  DeviceSum late;
  double late_variance = 0, square_before = 1;
  for (Period t = 1; t <= up_to; ++t) {
    const double square = squares.mean(t);
    if (!rule.is_inactive(t)) {
      const DeviceSum missing = presence.missing(t);
      late += missing;
      late_variance += square_before * estimate.squared_devices(missing.variance);
    }
    const DeviceSum reported = presence.reported(t);
    DeviceSum all = reported;
    all += late;
    const double devices = none_or_more(all.devices);
    counts.push_back({estimate.devices(all.estimate),
                      square * estimate.squared_devices(reported.variance) + late_variance, devices,
                      none_or_more(reported.devices), estimate.bias(t) * devices});
    square_before = square;
  }
  return counts;
}

// The report of period s has the weight w(t-s) in the estimate of t. In the sum over a window it
// has the weight A(last-s) - A(first-1-s), with A(j) = w(0) + ... + w(j). If all devices stay, the
// variance is the sum of these weights squared, times the reports. Some devices leave. Presence
// knows the variance of each period, so the sum is scaled by the ratio of the true to the full
// variance.
std::vector<ActiveCount> pooled_counts(const std::vector<ActiveCount>& counts, const Sums& sums,
                                       const DeviceEstimate& estimate, Period window) {
  if (window == 1) return counts;
  const std::vector<double> reports = nonzero_reports(sums, estimate, counts.size());
  std::vector<double> cumulative = {0}, if_all_stay(counts.size());
  for (const double weight : estimate.weights()) cumulative.push_back(cumulative.back() + weight);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    for (std::size_t s = 0; s <= t; ++s) {
      const double weight = estimate.weights()[t - s];
      if_all_stay[t] += reports[s] * weight * weight;
    }
  }
  std::vector<ActiveCount> pooled;
  for (std::size_t last = 0; last < counts.size(); ++last) {
    const std::size_t first = last + 1 >= window ? last + 1 - window : 0;
    ActiveCount mean;
    double each = 0, each_if_all_stay = 0, sum_if_all_stay = 0;
    for (std::size_t t = first; t <= last; ++t) {
      mean.value += counts[t].value;
      mean.devices += counts[t].devices;
      mean.reports += counts[t].reports;
      mean.bias += counts[t].bias;
      each += counts[t].variance;
      each_if_all_stay += if_all_stay[t];
    }
    for (std::size_t s = 0; s <= last; ++s) {
      const double weight = cumulative[last + 1 - s] - (s < first ? cumulative[first - s] : 0);
      sum_if_all_stay += reports[s] * weight * weight;
    }
    const double periods = static_cast<double>(last + 1 - first);
    mean.value /= periods;
    mean.devices /= periods;
    mean.reports /= periods;
    mean.bias /= periods;
    const double staying = each_if_all_stay > 0 ? each / each_if_all_stay : 0;
    mean.variance = sum_if_all_stay * staying / (periods * periods);
    pooled.push_back(mean);
  }
  return pooled;
}

}  // namespace futurerand
