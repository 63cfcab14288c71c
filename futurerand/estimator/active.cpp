#include "futurerand/estimator/active.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "futurerand/estimator/innovation_trend.hpp"

namespace futurerand {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// Presence adds up variances as if no report were a zero symbol. This is the share of reports that
// are none, weighed as they weigh in the estimate of period t: by the squares of their weights.
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
  std::vector<double> squares_, counts_, nonzero_;  // empty where no report is zero
};

// Below zero only while the sums of some shards of a cluster are not known.
std::uint64_t none_or_more(std::int64_t devices) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(devices, 0));
}

// A count of the devices that were active in a period, and its variance without that of the cap.
struct ActiveCount {
  double value = 0;
  double variance = 0;
  std::uint64_t devices = 0;
  std::uint64_t reports = 0;
};

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
    counts.push_back({estimate.devices(all.estimate),
                      square * estimate.squared_devices(reported.variance) + late_variance,
                      none_or_more(all.devices), none_or_more(reported.devices)});
    square_before = square;
  }
  return counts;
}

// The noise of a share is one white noise through the response r, of which presence knows the
// variance in each period. So the shares are smoothed as those of a population that stays.
std::vector<Measurement> trend_of(const DeviceEstimate& estimate,
                                  const std::vector<ActiveCount>& counts) {
  InnovationEvidence evidence;
  const double weight = estimate.weights().front();
  double most = 0;
  for (const ActiveCount& count : counts) {
    most = std::max(most, static_cast<double>(count.devices));
  }
  double squares = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const double response = estimate.weights()[t] / weight;
    squares += response * response;
    evidence.response.push_back(response);
    const double devices = static_cast<double>(counts[t].devices);
    const double scale = devices > 0 ? most / devices : 0;
    evidence.enrolled.push_back(devices > 0 ? most : 0);
    evidence.counts.push_back(scale * counts[t].value);
    evidence.innovation_variances.push_back(scale * scale * counts[t].variance / squares);
    evidence.reported.push_back(counts[t].reports > 0);
  }
  std::vector<Measurement> smoothed = innovation_trend(evidence);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const double scale = most > 0 ? static_cast<double>(counts[t].devices) / most : 0;
    smoothed[t] = {scale * smoothed[t].value, scale * scale * smoothed[t].variance};
  }
  return smoothed;
}

}  // namespace

std::vector<ActiveEstimate> estimate_active(const Plan& plan, const Sums& sums,
                                            const Presence& presence, const InactiveRule& rule,
                                            EstimatorKind kind, Period up_to) {
  up_to = std::min(up_to, plan.num_periods);
  const std::vector<ActiveCount> counts = active_counts(sums, presence, rule, up_to);
  const std::vector<Measurement> smoothed = kind == EstimatorKind::kTrend
                                                ? trend_of(presence.estimate(), counts)
                                                : std::vector<Measurement>();
  std::vector<ActiveEstimate> estimates;
  for (Period t = 1; t <= up_to; ++t) {
    const ActiveCount& count = counts[t - 1];
    ActiveEstimate& active = estimates.emplace_back();
    active.devices = count.devices;
    active.reports = count.reports;
    if (count.devices == 0) {
      active.at = {t, kNotKnown, kNotKnown};
      continue;
    }
    // What honest devices lose to the cap is part of the error.
    const double bias = presence.estimate().bias(t) * static_cast<double>(count.devices);
    const Measurement found =
        smoothed.empty() ? Measurement{count.value, count.variance} : smoothed[t - 1];
    active.at = {t, found.value, std::sqrt(found.variance + bias * bias)};
  }
  return estimates;
}

}  // namespace futurerand
