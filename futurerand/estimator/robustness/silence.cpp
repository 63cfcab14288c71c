#include "futurerand/estimator/robustness/silence.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/estimator/normal_quantile.hpp"

namespace futurerand {
namespace {

// Element i: the largest mean number of nonzero symbols among the first i of an honest device, for
// any values. Each sign of its noise is used once. All other symbols are nonzero as often as
// without information.
std::vector<double> most_spoken(const Law& law, std::uint32_t indices) {
  const double null = static_cast<double>(nonzero_units(law)) / SparseLaw::kUnits;
  std::vector<double> each;
  if (const auto* innovation = std::get_if<WeightedThresholdLaw>(&law)) {
    const std::vector<LevelMoments> moments = moments_of(*innovation);
    for (std::size_t l = 0; l < moments.size(); ++l) {
      each.insert(each.end(), innovation->levels[l].count, std::max(null, moments[l].square));
    }
  } else {
    each.assign(num_signs(law), std::max(null, mean_square(law, 1)));
  }
  std::sort(each.begin(), each.end(), std::greater<>());
  each.resize(indices, null);
  std::vector<double> most = {0};
  for (const double spoken : each) most.push_back(most.back() + spoken);
  return most;
}

// The largest mean number of nonzero symbols of `devices` devices in `reports` reports. All devices
// are the same, and the first reports of each may have the most.
double spoken_by(const std::vector<double>& most, double devices, double reports) {
  if (devices == 0) return 0;
  const double each = std::min(reports / devices, static_cast<double>(most.size() - 1));
  const auto whole = std::min(static_cast<std::size_t>(each), most.size() - 2);
  return devices *
         (most[whole] + (each - static_cast<double>(whole)) * (most[whole + 1] - most[whole]));
}

}  // namespace

Period spoken_too_often_by(const Plan& plan, const Sums& sums, Period up_to, double rate) {
  double looks = 0;
  for (const View& view : plan.views) {
    if (may_be_zero(view.law)) looks += view.num_indices(plan.num_periods);
  }
  if (looks == 0) return 0;
  const double z = two_sided_quantile(2 * rate / looks);
  // The law of a transcript exceeds that of a transcript without information by at most this
  // factor. The same holds for its mean square about any number.
  const double loudest = std::exp(plan.epsilon.value());
  Period first = 0;
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    const View& view = plan.views[v];
    if (!may_be_zero(view.law)) continue;
    const Schedule schedule(view, plan.num_periods);
    const double null = static_cast<double>(nonzero_units(view.law)) / SparseLaw::kUnits;
    const std::vector<double> most = most_spoken(view.law, schedule.num_indices);
    double devices = 0, reports = 0, spoken = 0;
    Period joined = 0;
    for (std::uint32_t index = 1; index <= schedule.last_due(up_to); ++index) {
      while (joined < schedule.due(index)) {
        devices += static_cast<double>(sums.enrolled_in(v, ++joined));
      }
      const IndexSum& at = sums.at(v, index);
      reports += static_cast<double>(at.count);
      spoken += static_cast<double>(at.spoken);
      const double stddev = std::sqrt(loudest * reports * null);
      // The last term is for the tail of few: as Bernstein's inequality has it.
      if (spoken <= spoken_by(most, devices, reports) + z * stddev + z * z) continue;
      if (first == 0 || schedule.due(index) < first) first = schedule.due(index);
      break;
    }
  }
  return first;
}

}  // namespace futurerand
