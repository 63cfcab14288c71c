// The server of ddrm, and how many reports it lets a device make; ddrm.cpp describes the protocol.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand::ddrm {

// The reports about one difference, decoded.
struct Reports {
  double mean = 0;
  double count = 0;
};

// The server's recursion. The value of period t is the value of t - 1 plus a leaf difference, and
// the value of t - b plus a root difference. b is the lowest set bit of t. Each estimate is a mix
// of both by inverse variance.
class Filter {
 public:
  // Requires the variance of one decoded report.
  explicit Filter(double report_variance)
      : report_variance_(report_variance), states_{{0, 0}}, covariances_{{0}} {}

  // Adds the next period. In odd periods both differences are one, and `root` is ignored.
  void step(Period t, const Reports& leaf, const Reports& root);

  double estimate() const { return states_.back().estimate; }
  // The variance, correlation of t - 1 and t - b included. The authors leave the correlation out.
  double variance() const { return covariances_.back().back(); }

 private:
  struct State {
    double estimate;
    double stated_variance;  // the authors'; it decides the mix
  };

  double report_variance_;
  // Element i: the prefix of the current period with i bits set. Only these are used again.
  std::vector<State> states_;
  std::vector<std::vector<double>> covariances_;  // of those states, lower triangle
};

// Calls visit(period) for every period with a change in `period` in its leaf or root difference, in
// rising order: the update path of a Fenwick tree.
template <typename Visit>
void for_each_difference_with(Period period, Period num_periods, Visit&& visit) {
  for (; period <= num_periods; period += period & (~period + 1)) visit(period);
}

}  // namespace futurerand::ddrm
