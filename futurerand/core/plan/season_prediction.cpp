#include "futurerand/core/plan/season_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "futurerand/core/coding/variance_factor.hpp"
#include "futurerand/core/law/law.hpp"
#include "futurerand/core/plan/innovation_filter.hpp"

namespace futurerand {
namespace {

// The noise of one device, summed over the periods first..last of its season. Element j of `sums`
// is r_0 + ... + r_{j-1}: how far the report of one period moves so many periods from it on.
struct DeviceNoise {
  std::vector<double> sums;
  double scale;  // of the variance

  double variance(std::int64_t first, std::int64_t last) const {
    double sum = 0;
    for (std::int64_t s = 1; s <= last; ++s) {
      const auto moved = static_cast<std::size_t>(last - s + 1);
      const auto before = static_cast<std::size_t>(std::max<std::int64_t>(0, first - s));
      const double part = sums[moved] - sums[before];
      sum += part * part;
    }
    return sum * scale;
  }
};

DeviceNoise noise_of(const Plan& plan) {
  const Law& law = plan.views.front().law;
  DeviceNoise noise{std::vector<double>(plan.num_periods + 1), 1};
  if (plan.protocol == Protocol::kOnce) {
    const double c = to_double(gap(law));
    // A report is right with a chance of (1 + c) / 2: the noise is what the value leaves open.
    noise.scale = 1 / (4 * c * c) - 0.25;
    return noise;
  }
  const InnovationFilter filter(std::get<WeightedThresholdLaw>(law));
  noise.scale = filter.least_square / (filter.kappa * filter.kappa);
  const std::vector<double> response = filter.response(plan.num_periods);
  for (Period j = 0; j < plan.num_periods; ++j) noise.sums[j + 1] = noise.sums[j] + response[j];
  return noise;
}

}  // namespace

double season_share_sd(const Plan& plan, const Calendar& calendar, Period resolution) {
  const DeviceNoise noise = noise_of(plan);
  // A label or a bucket is reported through a public row. The error of a distribution is the root
  // mean square over the shares below all thresholds.
  const Coding& coding = plan.coding;
  const double factor = coding.kind() == CodingKind::kDistribution
                            ? mean_cumulative_factor(coding.bits())
                            : count_factor(coding);
  const std::int64_t season = calendar.season(), cycle = calendar.cycle(), q = resolution;
  const auto live_share = static_cast<double>(season) / static_cast<double>(cycle);
  const double weight = 1 / (static_cast<double>(q) * live_share);
  // Over all phases alike: the window begins in period a of a cycle, whose season is 1..season.
  double noise_sum = 0, square_sum = 0;
  for (std::int64_t a = 1; a <= cycle; ++a) {
    double in_season = 0, variance = 0;
    for (std::int64_t begin = 0; begin < a + q; begin += cycle) {
      const std::int64_t first = std::max(a - begin, std::int64_t{1});
      const std::int64_t last = std::min(a + q - 1 - begin, season);
      if (first > last) continue;
      const auto length = static_cast<double>(last - first + 1);
      in_season += length;
      // One answer serves all periods of a season.
      variance += plan.protocol == Protocol::kOnce ? noise.scale * length * length
                                                   : noise.variance(first, last);
    }
    noise_sum += variance * weight * weight;
    square_sum += in_season * weight * in_season * weight;
  }
  const auto phases = static_cast<double>(cycle);
  const double sampling = 0.25 * std::max(0.0, square_sum / phases - 1);
  return std::sqrt(factor * noise_sum / phases + sampling);
}

std::uint32_t changes_in_season(Period periods, double change_every) {
  constexpr double kOver = 0.02;
  const double mean = (static_cast<double>(periods) - 1) / change_every;
  double term = std::exp(-mean), below = term;
  std::uint32_t changes = 0;
  while (1 - below > kOver && changes < periods) {
    ++changes;
    term *= mean / changes;
    below += term;
  }
  return std::min(changes, periods - 1);
}

Result<Calendar> calendar_for(Period periods, Period rest) {
  constexpr Period kLive = 6;
  Period every = periods;
  for (Period h = 1; h <= periods; ++h) {
    const auto distance = [&](Period step) {
      return std::abs(std::log(static_cast<double>(periods) / step / kLive));
    };
    if (periods % h == 0 && periods / h <= Calendar::kMaxLive && distance(h) < distance(every)) {
      every = h;
    }
  }
  return Calendar::create(periods, every, (rest + every - 1) / every * every);
}

}  // namespace futurerand
