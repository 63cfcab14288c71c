#include "futurerand/estimator/innovation.hpp"

#include <algorithm>

namespace futurerand {
namespace {

const WeightedThresholdLaw& innovation_law(const Plan& plan) {
  return std::get<WeightedThresholdLaw>(plan.views.front().law);
}

// Returns the sum over s of a[s] b[last - s], for the last `count` of a. Four sums run at once,
// because one would wait for each addition.
double convolve(const std::vector<double>& a, const std::vector<double>& b, std::size_t count) {
  const double* backwards = a.data() + a.size() - 1;
  double sums[4] = {0, 0, 0, 0};
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) {
    for (std::size_t i = 0; i < 4; ++i) {
      sums[i] += *(backwards - static_cast<std::ptrdiff_t>(j + i)) * b[j + i];
    }
  }
  for (; j < count; ++j) sums[0] += *(backwards - static_cast<std::ptrdiff_t>(j)) * b[j];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

InnovationCounts::InnovationCounts(const Plan& plan)
    : filter_(innovation_law(plan)), response_(filter_.response(plan.num_periods)) {
  squares_.reserve(response_.size());
  for (const double r : response_) squares_.push_back(r * r);
  filtered_.reserve(response_.size());
  counts_.reserve(response_.size());
  innovation_variances_.reserve(response_.size());
}

Measurement InnovationCounts::advance(const IndexSum& reports, double enrolled) {
  const std::size_t t = counts_.size();
  if (enrolled == 0) {  // no devices are enrolled yet
    filtered_.push_back(0);
    counts_.push_back(0);
    innovation_variances_.push_back(0);
    return {0, 0};
  }
  if (reports.count == 0) {
    double variance = 0;
    for (std::size_t s = 0; s < t; ++s) {
      const double moved = response_[t - 1 - s] - response_[t - s];
      variance += innovation_variances_[s] * moved * moved;
    }
    filtered_.push_back(t == 0 ? 0 : filtered_.back());
    counts_.push_back(filtered_.back() + middle(enrolled));
    innovation_variances_.push_back(variance);
    return {};
  }
  const double count = static_cast<double>(reports.count);
  const double scale = enrolled / (count * filter_.kappa);
  const double old = t == 0 ? 0 : convolve(filtered_, filter_.phi, std::min(t, filter_.phi.size()));
  filtered_.push_back(scale * static_cast<double>(reports.sum) + old +
                      (filter_.starts_unknown ? 0 : enrolled * filter_.alpha / 2));
  counts_.push_back(filtered_.back() + middle(enrolled));
  // Few reports may all be zero, and still there is noise.
  const double squares =
      std::max(static_cast<double>(reports.spoken), filter_.least_square * count);
  innovation_variances_.push_back(scale * scale * squares);
  return {counts_.back(), convolve(innovation_variances_, squares_, t + 1)};
}

}  // namespace futurerand
