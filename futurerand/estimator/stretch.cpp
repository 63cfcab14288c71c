#include "futurerand/estimator/stretch.hpp"

#include <cmath>
#include <numbers>

namespace futurerand {
namespace {

double square(double x) { return x * x; }

// This is x_M given x_L and all that (M, R] says of x_M alone: Normal(slope x_L + offset,
// variance).
Stretch conditioned(const Stretch& left, const Stretch& right) {
  Stretch at;
  if (left.variance == kUndetermined) {
    if (right.information == 0) return at;
    at.variance = 1 / right.information;
    at.offset = right.pull / right.information;
    return at;
  }
  const double shrink = 1 / (1 + left.variance * right.information);
  at.variance = shrink * left.variance;
  at.slope = shrink * left.slope;
  at.offset = shrink * left.offset + at.variance * right.pull;
  return at;
}

// Returns coefficient * x. With a coefficient of 0, x may be infinite.
double times(double coefficient, double x) { return coefficient == 0 ? 0 : coefficient * x; }

}  // namespace

void Stretch::observe(double from, double to, const Measurement& measured) {
  if (measured.variance == kUndetermined) return;
  if (variance == kUndetermined) {
    slope = from / to;
    offset = measured.value / to;
    variance = measured.variance / square(to);
    return;
  }
  const double total = square(to) * variance + measured.variance;
  const double innovation = measured.value - to * offset;
  const double by_left = to * slope - from;  // of the predicted value
  information += square(by_left) / total;
  pull += by_left * innovation / total;
  log_likelihood -= (std::log(2 * std::numbers::pi * total) + square(innovation) / total) / 2;
  slope = (slope * measured.variance + variance * to * from) / total;
  offset = (offset * measured.variance + variance * to * measured.value) / total;
  variance *= measured.variance / total;
}

Stretch merge(const Stretch& left, const Stretch& right) {
  const Stretch middle = conditioned(left, right);
  Stretch merged;
  if (right.variance != kUndetermined && (right.slope == 0 || middle.variance != kUndetermined)) {
    merged.slope = right.slope * middle.slope;
    merged.offset = right.slope * middle.offset + right.offset;
    merged.variance = times(square(right.slope), middle.variance) + right.variance;
  }
  merged.pull = left.pull;
  merged.information = left.information;
  merged.log_likelihood = left.log_likelihood + right.log_likelihood;
  if (left.variance == kUndetermined) return merged;
  // The likelihood of x_M, averaged over x_M given x_L: the mean of exp(u x - i x^2 / 2) over a
  // Normal(m, v) x is exp((u m - i m^2 / 2 + v u^2 / 2) / (1 + v i)) / sqrt(1 + v i).
  const double grow = 1 + left.variance * right.information;
  const double m = left.offset;
  merged.pull += left.slope * (right.pull - right.information * m) / grow;
  merged.information += square(left.slope) * right.information / grow;
  merged.log_likelihood += (right.pull * m - right.information * square(m) / 2 +
                            left.variance * square(right.pull) / 2) /
                               grow -
                           std::log(grow) / 2;
  return merged;
}

Halves split(const Ends& ends, const Stretch& left, const Stretch& right) {
  // This is x_M given x_L and x_R: Normal(by_left x_L + by_right x_R + offset, variance).
  const Stretch middle = conditioned(left, right);
  double by_left = middle.slope, by_right = 0, offset = middle.offset, variance = middle.variance;
  if (middle.variance == kUndetermined) {
    if (right.slope != 0) {  // then right.variance is finite: all that is known is x_R
      by_left = 0;
      by_right = 1 / right.slope;
      offset = -right.offset / right.slope;
      variance = right.variance / square(right.slope);
    }
  } else if (right.slope != 0 && middle.variance > 0) {
    const double total = square(right.slope) * middle.variance + right.variance;
    const double kept = right.variance / total;
    by_right = middle.variance * right.slope / total;
    by_left = kept * middle.slope;
    offset = kept * middle.offset - by_right * right.offset;
    variance = kept * middle.variance;
  }

  const double mean = by_left * ends.left + by_right * ends.right + offset;
  variance += times(square(by_left), ends.left_variance) +
              times(square(by_right), ends.right_variance) +
              2 * by_left * by_right * ends.covariance;
  if (!std::isfinite(variance)) {
    return {{ends.left, 0, ends.left_variance, kUndetermined, 0},
            {0, ends.right, kUndetermined, ends.right_variance, 0}};
  }
  return {{ends.left, mean, ends.left_variance, variance,
           times(by_left, ends.left_variance) + by_right * ends.covariance},
          {mean, ends.right, variance, ends.right_variance,
           by_left * ends.covariance + times(by_right, ends.right_variance)}};
}

}  // namespace futurerand
