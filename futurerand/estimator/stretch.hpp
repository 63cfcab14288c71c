// Stretch: what all reports inside the periods (L, R] say of the levels x_L and x_R (counts, or
// shares) at both ends, with everything between integrated out. Gaussian, so five numbers:
//
//   x_R given x_L ~ Normal(slope x_L + offset, variance)
//   and a likelihood of x_L proportional to exp(pull x_L - information x_L^2 / 2).
//
// Neighbours merge in any grouping: a tree over the periods gives exact results in linear time.
// Variances are never differences, so that small ones stay exact; an infinite one is exact as well.
// The elements of the associative smoother of Sarkka and Garcia-Fernandez (2021), in one dimension.
//
// Thread safety: plain values and pure functions.
#pragma once

#include "futurerand/estimator/measurement.hpp"

namespace futurerand {

struct Stretch {
  double slope = 0;  // 0 where the variance is infinite
  double offset = 0;
  double variance = kUndetermined;
  double pull = 0;
  double information = 0;
  double log_likelihood = 0;  // of the reports inside at x_L = 0, for finite variances

  // Adds a report inside: to * x_R - from * x_L was measured.
  void observe(double from, double to, const Measurement& measured);
};

// Merges those of (L, M] and (M, R].
Stretch merge(const Stretch& left, const Stretch& right);

// These are means and covariances of x_L and x_R given all reports, inside the stretch and outside.
struct Ends {
  double left = 0, right = 0;
  double left_variance = 0, right_variance = 0, covariance = 0;
};

struct Halves {
  Ends left, right;
};

// Gives the same for the two parts of the stretch. Where x_M is undetermined its variance is
// infinite.
Halves split(const Ends& ends, const Stretch& left, const Stretch& right);

}  // namespace futurerand
