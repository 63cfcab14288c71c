#include "futurerand/estimator/robustness/self_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "futurerand/estimator/estimator.hpp"
#include "futurerand/estimator/normal_quantile.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"
#include "futurerand/estimator/robustness/silence.hpp"
#include "futurerand/estimator/robustness/view_shares.hpp"

namespace futurerand {
namespace {

// |Z| stays below it in all of `count` looks, except with probability kAlarmRateEach (Sidak, as for
// simultaneous bands).
double limit_of_each(double count) {
  return two_sided_quantile(-std::expm1(std::log1p(-kAlarmRateEach) / std::max(count, 1.0)));
}

// The sum of `count` standardized differences stays below it at all times, except with probability
// kAlarmRateEach. By Levy's inequality its largest value passes x at most twice as often as its
// last one.
double limit_of_sum(double count) {
  return std::sqrt(std::max(count, 1.0)) * two_sided_quantile(kAlarmRateEach / 2);
}

Period first_of(Period a, Period b) { return a == 0 || (b != 0 && b < a) ? b : a; }

// The first of all. Tests that name the adversaries say more.
Alarm alarm_at(const Plan& plan, const Sums& sums, const Presence* presence, Period up_to,
               Period contradicted) {
  Alarm alarm;
  const auto raise_by = [&](Period period, std::string_view text) {
    if (period != 0 && (!alarm || period <= alarm.period)) alarm = {period, text};
  };
  raise_by(contradicted, kAlarmText);
  raise_by(spoken_too_often_by(plan, sums, up_to, kAlarmRateEach), kSilenceAlarmText);
  raise_by(shares_broken_by(plan, sums, up_to, kAlarmRateEach), kSharesAlarmText);
  if (presence != nullptr) {
    raise_by(beyond_cap_by(*presence, up_to), kTranscriptsAlarmText);
  }
  return alarm;
}

}  // namespace

Period impossible_by(const Plan& plan, const std::vector<PeriodEstimate>& estimates,
                     const std::vector<double>& devices) {
  // Only one side of each period's two can be passed, so that a two-sided limit is on the safe
  // side.
  const double limit = limit_of_each(plan.num_periods);
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const PeriodEstimate& at = estimates[i];
    if (!std::isfinite(at.estimate) || at.stddev <= 0) continue;
    const double outside = std::max(-at.estimate, at.estimate - devices[i]);
    if (outside > limit * at.stddev) return at.period;
  }
  return 0;
}

std::uint64_t most_beyond_unnoticed(std::uint64_t reports, Period num_periods) {
  // Devices are independent, and each passes either limit with probability kCapRate at most. So for
  // any L, exp(L found - (e^L - 1) expected) has a mean of 1 at most however many have reported,
  // and by Ville's inequality passes x at any time with probability 1/x at most. Which L sees the
  // most depends on how many devices there are: each of these has its share.
  constexpr std::array kTilts = {0.125, 0.5, 2.0};
  const double limit = std::log(kTilts.size() * num_periods / kAlarmRateEach);
  const double expected = 2 * kCapRate * static_cast<double>(reports);
  double most = std::numeric_limits<double>::infinity();
  for (const double tilt : kTilts) {
    most = std::min(most, (limit + std::expm1(tilt) * expected) / tilt);
  }
  return static_cast<std::uint64_t>(most);
}

Period beyond_cap_by(const Presence& presence, Period up_to) {
  if (!presence.estimate().is_capped()) return 0;
  for (Period t = 1; t <= up_to; ++t) {
    const auto reports =
        static_cast<std::uint64_t>(std::max<std::int64_t>(presence.reported(t).devices, 0));
    if (presence.clipped(t) > most_beyond_unnoticed(reports, presence.num_periods())) return t;
  }
  return 0;
}

Period contradicted_by(const Plan& plan, const Sums& sums, Period up_to) {
  up_to = std::min(up_to, plan.num_periods);
  const std::vector<std::uint64_t> enrolled = sums.enrolled_by_period();
  const std::unique_ptr<Estimator> estimator = make_estimator(plan);
  std::vector<PeriodEstimate> estimates;
  std::vector<double> devices;
  const double looks = estimator->num_contradictions();
  double sum = 0;
  Period found = 0;
  for (Period t = 1; t <= up_to; ++t) {
    estimates.push_back(estimator->advance(sums, enrolled[t - 1]));
    devices.push_back(static_cast<double>(enrolled[t - 1]));
    const std::optional<double> contradiction = estimator->last_contradiction();
    if (!contradiction) continue;
    sum += *contradiction;
    const bool beyond =
        std::abs(*contradiction) > limit_of_each(looks) || std::abs(sum) > limit_of_sum(looks);
    if (beyond && found == 0) found = t;
  }
  return first_of(found, impossible_by(plan, estimates, devices));
}

Alarm check_enrolled(const Plan& plan, const Sums& sums, Period up_to) {
  up_to = std::min(up_to, plan.num_periods);
  return alarm_at(plan, sums, nullptr, up_to, contradicted_by(plan, sums, up_to));
}

Alarm check_estimates(const Plan& plan, const Sums& sums, const Presence& presence,
                      const std::vector<PeriodEstimate>& estimates,
                      const std::vector<double>& devices) {
  const Period up_to = static_cast<Period>(estimates.size());
  return alarm_at(plan, sums, &presence, up_to, impossible_by(plan, estimates, devices));
}

}  // namespace futurerand
