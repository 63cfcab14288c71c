#include "futurerand/estimator/coding/quantile.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/estimator/normal_quantile.hpp"

namespace futurerand {
namespace {

// Returns the first place in 0..size-1 at which the piecewise linear curve reaches `level`, or the
// last place.
double first_reach(const std::vector<double>& curve, double level) {
  if (curve.front() >= level) return 0;
  for (std::size_t k = 1; k < curve.size(); ++k) {
    if (curve[k] < level) continue;
    return static_cast<double>(k - 1) + (level - curve[k - 1]) / (curve[k] - curve[k - 1]);
  }
  return static_cast<double>(curve.size() - 1);
}

}  // namespace

std::vector<double> monotone(std::span<const double> values, double least, double most) {
  struct Block {
    double sum;
    std::size_t size;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Block> blocks;
  for (const double value : values) {
    blocks.push_back({value, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().size += last.size;
    }
  }
  std::vector<double> rising;
  for (const Block& block : blocks) {
    rising.insert(rising.end(), block.size, std::clamp(block.mean(), least, most));
  }
  return rising;
}

// Between two thresholds the interpolated count has a standard deviation of at most the
// interpolated one (a norm is convex), so straight lines of value -+ z sd bound its band.
QuantileEstimate estimate_quantile(const Coding& coding, const std::vector<Measurement>& cumulative,
                                   double share, double level) {
  const auto& distribution = std::get<DistributionCoding>(coding.settings());
  const double devices = cumulative.back().value, wanted = share * devices;
  const double z = two_sided_quantile(1 - level);
  std::vector<double> values, upper, lower_from_the_end;
  for (const Measurement& at : cumulative) {
    values.push_back(at.value);
    upper.push_back(at.value + z * std::sqrt(at.variance));
    lower_from_the_end.push_back(z * std::sqrt(at.variance) - at.value);
  }
  std::reverse(lower_from_the_end.begin(), lower_from_the_end.end());
  const double width = (distribution.high - distribution.low) / distribution.buckets;
  const auto in_units = [&](double place) { return distribution.low + width * place; };
  return {in_units(first_reach(monotone(values, 0, devices), wanted)),
          {in_units(first_reach(upper, wanted)),
           in_units(distribution.buckets - first_reach(lower_from_the_end, -wanted))}};
}

}  // namespace futurerand
