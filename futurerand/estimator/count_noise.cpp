#include "futurerand/estimator/count_noise.hpp"

#include <algorithm>

namespace futurerand {

std::vector<PeriodNoise> period_noise(const std::vector<ActiveCount>& counts, const Sums& sums,
                                      const DeviceEstimate& estimate) {
  const std::vector<double> reports = nonzero_reports(sums, estimate, counts.size());
  const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
  std::vector<PeriodNoise> noise;
  std::uint64_t before = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    noise.push_back({counts[t].variance, counts[t].devices,
                     static_cast<double>(enrolled[t] - before), reports[t]});
    before = enrolled[t];
  }
  return noise;
}

CountNoise::CountNoise(std::vector<PeriodNoise> periods, std::span<const double> weights)
    : periods_(std::move(periods)), weights_(weights.begin(), weights.end()) {
  const std::size_t size = periods_.size();
  staying_.assign(size, 0);
  for (std::size_t t = 1; t < size; ++t) {
    const double before = periods_[t - 1].devices;
    const double old = periods_[t].devices - periods_[t].joined;
    if (before > 0) staying_[t] = std::clamp(old / before, 0.0, 1.0);
  }
  std::vector<double> modelled(size);
  for (std::size_t s = 0; s < size; ++s) {
    double reports = periods_[s].reports;
    for (std::size_t t = s; t < size && reports > 0; ++t) {
      if (t > s) reports *= staying_[t];
      modelled[t] += reports * weights_[t - s] * weights_[t - s];
    }
  }
  for (std::size_t t = 0; t < size; ++t) {
    scale_.push_back(modelled[t] > 0 ? periods_[t].variance / modelled[t] : 0);
  }
}

// The report of period s has the weight w(t-s) in the count of t. The counts of t and of a later u
// share the reports for s of devices that stay until u.
double CountNoise::variance(std::span<const double> coefficients) const {
  double total = 0;
  for (std::size_t s = 0; s < coefficients.size(); ++s) {
    double reports = periods_[s].reports, earlier = 0;
    for (std::size_t t = s; t < coefficients.size() && reports > 0; ++t) {
      if (t > s) reports *= staying_[t];
      const double weight = coefficients[t] * weights_[t - s];
      total += reports * scale_[t] * weight * (weight + 2 * earlier);
      earlier += weight;
    }
    // Only late devices are counted: their noise is taken to be its own.
    if (scale_[s] == 0) total += coefficients[s] * coefficients[s] * periods_[s].variance;
  }
  return std::max(0.0, total);
}

}  // namespace futurerand
