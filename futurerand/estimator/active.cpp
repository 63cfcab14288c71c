#include "futurerand/estimator/active.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "futurerand/estimator/innovation_trend.hpp"

namespace futurerand {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// The noise of a share is one white noise filtered by the response r. Presence knows its variance
// in each period. So the shares are smoothed like those of a fixed population.
std::vector<Measurement> trend_of(const DeviceEstimate& estimate,
                                  const std::vector<ActiveCount>& counts) {
  InnovationEvidence evidence;
  const double weight = estimate.weights().front();
  double most = 0;
  for (const ActiveCount& count : counts) {
    most = std::max(most, count.devices);
  }
  double squares = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const double response = estimate.weights()[t] / weight;
    squares += response * response;
    evidence.response.push_back(response);
    const double devices = counts[t].devices;
    const double scale = devices > 0 ? most / devices : 0;
    evidence.enrolled.push_back(devices > 0 ? most : 0);
    evidence.counts.push_back(scale * counts[t].value);
    evidence.innovation_variances.push_back(scale * scale * counts[t].variance / squares);
    evidence.reported.push_back(counts[t].reports > 0);
  }
  std::vector<Measurement> smoothed = innovation_trend(evidence);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    const double scale = most > 0 ? counts[t].devices / most : 0;
    smoothed[t] = {scale * smoothed[t].value, scale * scale * smoothed[t].variance};
  }
  return smoothed;
}

}  // namespace

std::vector<ActiveEstimate> estimate_active(const Plan& plan, const Sums& sums,
                                            const Presence& presence, const InactiveRule& rule,
                                            EstimatorKind kind, Period up_to, Period window) {
  up_to = std::min(up_to, plan.num_periods);
  const std::vector<ActiveCount> counts =
      pooled_counts(active_counts(sums, presence, rule, up_to), sums, presence.estimate(), window);
  const std::vector<Measurement> smoothed = kind == EstimatorKind::kTrend
                                                ? trend_of(presence.estimate(), counts)
                                                : std::vector<Measurement>();
  std::vector<ActiveEstimate> estimates;
  for (Period t = 1; t <= up_to; ++t) {
    const ActiveCount& count = counts[t - 1];
    ActiveEstimate& active = estimates.emplace_back();
    active.devices = static_cast<std::uint64_t>(std::llround(count.devices));
    active.reports = static_cast<std::uint64_t>(std::llround(count.reports));
    if (active.devices == 0) {
      active.at = {t, kNotKnown, kNotKnown};
      continue;
    }
    // The error includes the loss of honest devices to the cap.
    const Measurement found =
        smoothed.empty() ? Measurement{count.value, count.variance} : smoothed[t - 1];
    // A mean number of devices is shown as a whole number. The share is not rounded.
    const double rounding = static_cast<double>(active.devices) / count.devices;
    active.at = {t, rounding * found.value,
                 rounding * std::sqrt(found.variance + count.bias * count.bias)};
  }
  return estimates;
}

}  // namespace futurerand
