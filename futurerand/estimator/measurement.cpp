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

Measurement measure_change(const IndexSum& reports, double enrolled, double gap,
                           double least_square) {
  if (enrolled == 0) return {0, 0};  // nobody is enrolled yet
  if (reports.count == 0) return {};
  const double count = static_cast<double>(reports.count);
  const double scale = enrolled / (count * gap);
  const double squares = std::max(static_cast<double>(reports.spoken), least_square * count);
  return {scale * static_cast<double>(reports.sum), scale * scale * squares};
}

Measurement measure_value(const IndexSum& reports, double enrolled, double gap,
                          const Measurement& known) {
  if (enrolled == 0) return {0, 0};
  if (reports.count == 0) return {};
  const double count = static_cast<double>(reports.count);
  // From few reports a share of 0 or 1 is no certainty, so one report of each value is imagined.
  // And p (1 - p) at an unbiased p is too small by its variance.
  const double p = (std::clamp(known.value / enrolled, 0.0, 1.0) * count + 1) / (count + 2);
  const double mixed = std::min(0.25, p * (1 - p) + known.variance / (enrolled * enrolled));
  // The noise of the signs, and the noise of drawing M of the N without replacement.
  const double signs = 1 / (gap * gap) - 1;
  const double drawing = 4 * mixed * std::max(0.0, 1 - count / enrolled);
  return {enrolled / 2 * (1 + static_cast<double>(reports.sum) / (count * gap)),
          enrolled * enrolled / (4 * count) * (signs + drawing)};
}

Measurement measure_value(const IndexSum& reports, double enrolled, double gap) {
  const Measurement widest = measure_value(reports, enrolled, gap, {0, kUndetermined});
  return measure_value(reports, enrolled, gap, widest);
}

PeriodEstimate to_estimate(Period period, const Measurement& measurement) {
  if (measurement.variance == kUndetermined) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {period, kNone, kNone};
  }
  return {period, measurement.value, std::sqrt(measurement.variance)};
}

}  // namespace futurerand
