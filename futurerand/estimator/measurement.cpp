#include "futurerand/estimator/measurement.hpp"

#include <algorithm>
#include <cmath>

namespace futurerand {

Measurement operator+(const Measurement& a, const Measurement& b) {
  if (a.variance == kUndetermined || b.variance == kUndetermined) return {};
  return {a.value + b.value, a.variance + b.variance};
}

Measurement combine(const Measurement& a, const Measurement& b) {
  if (a.variance == 0 || b.variance == kUndetermined) return a;
  if (b.variance == 0 || a.variance == kUndetermined) return b;
  const double weight = a.variance / (a.variance + b.variance);
  return {a.value + weight * (b.value - a.value), weight * b.variance};
}

Measurement measure_change(const IndexSum& reports, double enrolled, double gap) {
  if (enrolled == 0) return {0, 0};  // who is not enrolled yet holds 0
  if (reports.count == 0) return {};
  const double count = static_cast<double>(reports.count);
  const double scale = enrolled / (count * gap);
  return {scale * static_cast<double>(reports.sum), scale * scale * count};
}

Measurement measure_value(const IndexSum& reports, double enrolled, double gap, double share) {
  if (enrolled == 0) return {0, 0};
  if (reports.count == 0) return {};
  const double count = static_cast<double>(reports.count);
  const double mean = static_cast<double>(reports.sum) / (count * gap);
  // One imagined report of each value: from few reports a share of exactly 0 or 1 is no certainty.
  const double p = (std::clamp(share, 0.0, 1.0) * count + 1) / (count + 2);
  // Noise of the signs, and of drawing M of the N without replacement.
  const double asked = 4 * p * (1 - p) * std::max(0.0, 1 - count / enrolled);
  return {enrolled / 2 * (1 + mean),
          enrolled * enrolled / (4 * count) * (1 / (gap * gap) - 1 + asked)};
}

Measurement measure_value(const IndexSum& reports, double enrolled, double gap) {
  const double mean = static_cast<double>(reports.sum) / (static_cast<double>(reports.count) * gap);
  return measure_value(reports, enrolled, gap, (1 + mean) / 2);
}

PeriodEstimate to_estimate(Period period, const Measurement& measurement) {
  if (measurement.variance == kUndetermined) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {period, kNone, kNone};
  }
  return {period, measurement.value, std::sqrt(measurement.variance)};
}

}  // namespace futurerand
