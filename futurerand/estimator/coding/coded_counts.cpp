#include "futurerand/estimator/coding/coded_counts.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/core/coding/decode.hpp"
#include "futurerand/core/coding/variance_factor.hpp"
#include "futurerand/estimator/normal_quantile.hpp"

namespace futurerand {
namespace {

// See core/coding/variance_factor.hpp. `spread` is the last term. A coding with one row samples
// nothing: its count has the variance of the yes/no count.
double with_sampling(const Coding& coding, const CodedSums& sums, double factor, double spread) {
  if (coding.num_rows() == 1) return sums.variance;
  return std::max(0.0, factor * (sums.variance + sums.devices / 4) - spread);
}

// The spread of an answer that is 1 for `held` devices and 0 for the others; `share` is the mean of
// the answer over all codes. The truth lies between 0 and all devices.
double spread_of(double held, double devices, double share) {
  return std::clamp(held, 0.0, devices) * (1 - 2 * share) + devices * share * share;
}

Measurement one_count(const Coding& coding, const CodedSums& sums, double count) {
  const double spread = spread_of(count, sums.devices, 1.0 / coding.num_codes());
  return {count, with_sampling(coding, sums, count_factor(coding), spread)};
}

std::vector<double> decoded(const Coding& coding, const CodedSums& sums) {
  std::vector<double> counts = sums.rows;
  decode_counts(coding, counts, sums.devices);
  return counts;
}

}  // namespace

std::vector<Measurement> estimate_counts(const Coding& coding, const CodedSums& sums) {
  std::vector<Measurement> estimates;
  for (const double count : decoded(coding, sums)) {
    estimates.push_back(one_count(coding, sums, count));
  }
  return estimates;
}

Measurement estimate_count(const Coding& coding, const CodedSums& sums, std::uint32_t code) {
  return one_count(coding, sums, decode_count(coding, sums.rows, sums.devices, code));
}

std::vector<Measurement> estimate_cumulative(const Coding& coding, const CodedSums& sums) {
  const std::vector<double> below = cumulative_counts(decoded(coding, sums));
  const std::uint32_t codes = coding.num_codes();
  std::vector<Measurement> estimates = {{0, 0}};
  for (std::uint32_t k = 1; k < codes; ++k) {
    const double spread = spread_of(below[k], sums.devices, static_cast<double>(k) / codes);
    estimates.push_back(
        {below[k], with_sampling(coding, sums, cumulative_factor(coding, k), spread)});
  }
  estimates.push_back({sums.devices, 0});
  return estimates;
}

Measurement estimate_mean(const Coding& coding, const CodedSums& sums) {
  if (!(sums.devices > 0)) return {};
  double low, width;
  if (const auto* number = std::get_if<NumberCoding>(&coding.settings())) {
    low = number->low, width = number->high - number->low;
  } else {
    const auto& distribution = std::get<DistributionCoding>(coding.settings());
    low = distribution.low, width = distribution.high - distribution.low;
  }
  const std::vector<double> counts = decoded(coding, sums);
  const double scale = width / sums.devices;
  if (coding.kind() == CodingKind::kNumber) {
    return {low + scale * counts[1], scale * scale * sums.variance};
  }
  double total = 0, spread = 0;
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const double middle = (static_cast<double>(v) + 0.5) / static_cast<double>(counts.size());
    total += counts[v] * middle;
    spread += counts[v] * (middle - 0.5) * (middle - 0.5);
  }
  spread = std::clamp(spread, 0.0, sums.devices / 4);
  const double variance = with_sampling(coding, sums, mean_factor(coding.bits()), spread);
  return {low + scale * total, scale * scale * variance};
}

std::vector<Band> coded_bands(const std::vector<Measurement>& estimates, double level,
                              std::size_t at_once) {
  const double z = two_sided_quantile((1 - level) / static_cast<double>(at_once));
  std::vector<Band> bands;
  for (const Measurement& at : estimates) {
    const double half = z * std::sqrt(at.variance);
    bands.push_back({at.value - half, at.value + half});
  }
  return bands;
}

}  // namespace futurerand
