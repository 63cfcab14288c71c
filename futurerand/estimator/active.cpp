#include "futurerand/estimator/active.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/estimator/active_views.hpp"
#include "futurerand/estimator/measurement.hpp"

namespace futurerand {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// Reports of one period by devices of one kind, and how many such devices there are.
struct Heard {
  std::uint64_t devices = 0;
  IndexSum reports;
};

Heard less(const Heard& all, const Heard& part) {
  return {all.devices - part.devices,
          {all.reports.sum - part.reports.sum, all.reports.count - part.reports.count,
           all.reports.spoken - part.reports.spoken}};
}

class Innovation {
 public:
  explicit Innovation(const Plan& plan)
      : filter_(std::get<WeightedThresholdLaw>(plan.views.front().law)),
        response_(filter_.response(plan.num_periods)) {}

  // N (mean report) / kappa + N alpha / 2; undetermined if nobody of some devices reported.
  Measurement of(const Heard& heard) const {
    if (heard.devices == 0) return {0, 0};
    if (heard.reports.count == 0) return {};
    const double devices = static_cast<double>(heard.devices);
    const double count = static_cast<double>(heard.reports.count);
    const double scale = devices / (count * filter_.kappa);
    const double squares =
        std::max(static_cast<double>(heard.reports.spoken), filter_.least_square * count);
    return {scale * static_cast<double>(heard.reports.sum) + devices * filter_.alpha / 2,
            scale * scale * squares};
  }
  // The same with the newcomers scaled apart, where both they and the others were heard.
  Measurement of(const Heard& all, const Heard& newcomers) const {
    const Heard others = less(all, newcomers);
    const bool both = newcomers.reports.count > 0 && others.reports.count > 0;
    if (all.reports.count == all.devices || !both) return of(all);
    const Measurement fresh = of(newcomers), old = of(others);
    return {fresh.value + old.value, fresh.variance + old.variance};
  }
  // Adds the innovation of period s to the count of period t >= s.
  void add(Measurement& count, Period t, Period s, const Measurement& innovation) const {
    const double r = response_[t - s];
    count.value += r * innovation.value;
    count.variance += r * r * innovation.variance;
  }

 private:
  InnovationFilter filter_;
  std::vector<double> response_;
};

IndexSum told_in(const Presence::Row& row, Period t, std::uint64_t joined) {
  const std::uint64_t devices = row.told.empty() ? joined : row.told[t - 1];
  const std::uint64_t silent = row.silent.empty() ? 0 : row.silent[t - 1];
  return {row.sums[t - 1], devices, devices - silent};
}

// What the devices of a row held when they were last heard, and how many of them ever were.
struct LastHeard {
  Measurement count{0, 0};
  std::uint64_t devices = 0;
  std::int64_t excess = 0;  // beyond the limits of transcripts, in their units
};

LastHeard last_heard(const Innovation& innovation, const Presence& presence, Period left) {
  LastHeard last;
  const Presence::Row& row = presence.row(left);
  last.excess = row.excess;
  for (Period s = 1; s < row.joined.size(); ++s) {
    last.devices += row.joined[s - 1];
    innovation.add(last.count, left - 1, s,
                   innovation.of({last.devices, told_in(row, s, last.devices)}));
  }
  return last;
}

// Those who were there at a period: all less the rows up to it.
class Cohort {
 public:
  Cohort(const Sums& sums, Period up_to) {
    std::uint64_t devices = 0;
    for (Period t = 1; t <= up_to; ++t) {
      devices += sums.enrolled_in(0, t);
      heard_.push_back({devices, sums.at(0, t)});
    }
  }

  void remove(const Presence::Row& row) {
    std::uint64_t joined = 0;
    for (Period t = 1; t <= heard_.size(); ++t) {
      if (t <= row.joined.size()) joined += row.joined[t - 1];
      // Its last period none of its devices has told.
      const bool told = t < row.joined.size();
      heard_[t - 1] = less(heard_[t - 1], {joined, told ? told_in(row, t, joined) : IndexSum{}});
    }
  }

  const Heard& operator[](Period t) const { return heard_[t - 1]; }

 private:
  std::vector<Heard> heard_;
};

// Cuts every transcript off at its limit (active.md, "The cap"): what was said beyond is taken out
// of the count, and what honest ones among them may lose is added to its error.
void cap(const Presence& presence, Period t, bool is_newest, std::int64_t late_excess,
         double devices, Measurement& count) {
  const TranscriptLimits* limits = presence.limits();
  if (limits == nullptr) return;
  std::int64_t excess = presence.beyond(t).excess - presence.excess_of_merged(t) + late_excess;
  if (is_newest) excess += presence.excess_before(t);
  count.value -= limits->devices(excess);
  const double bias = limits->bias(t) * devices;
  count.variance += bias * bias;
}

std::vector<ActiveEstimate> online_active(const Plan& plan, const Sums& sums,
                                          const Presence& presence, const GoneRule& rule,
                                          Period up_to) {
  const Innovation innovation(plan);
  Cohort cohort(sums, up_to);
  std::vector<Measurement> told;  // the cohort's innovation of the periods before t
  LastHeard late;                 // those missing from the cohort who are not gone
  std::vector<ActiveEstimate> estimates;
  for (Period t = 1; t <= up_to; ++t) {
    const Presence::Row& row = presence.row(t);
    if (row.devices > 0) {
      cohort.remove(row);
      for (Period s = 1; s < t; ++s) told[s - 1] = innovation.of(cohort[s]);
      if (!presence.is_merged(t) && !rule.is_gone(t)) {
        const LastHeard last = last_heard(innovation, presence, t);
        late.count.value += last.count.value;
        late.count.variance += last.count.variance;
        late.devices += last.devices;
        late.excess += last.excess;
      }
    }
    Measurement count = late.count;
    for (Period s = 1; s < t; ++s) innovation.add(count, t, s, told[s - 1]);
    told.push_back(innovation.of(cohort[t]));
    // Only of the newest period can those who are there lack reports; nobody left later.
    const bool is_newest = t == up_to && !presence.is_merged(t);
    const Heard newcomers{sums.enrolled_in(0, t), presence.newcomers(t)};
    innovation.add(count, t, t, is_newest ? innovation.of(cohort[t], newcomers) : told.back());
    ActiveEstimate& estimate = estimates.emplace_back();
    estimate.devices = cohort[t].devices + late.devices;
    cap(presence, t, is_newest, late.excess, static_cast<double>(estimate.devices), count);
    estimate.at = to_estimate(t, count);
    estimate.reports = cohort[t].reports.count;
  }
  return estimates;
}

}  // namespace

std::vector<ActiveEstimate> estimate_active(const Plan& plan, const Sums& sums,
                                            const Presence& presence, const GoneRule& rule,
                                            EstimatorKind kind, Period up_to) {
  up_to = std::min(up_to, plan.num_periods);
  std::vector<ActiveEstimate> estimates;
  if (kind == EstimatorKind::kOnline) {
    estimates = plan.heartbeats ? online_active_views(plan, sums, presence, rule, up_to)
                                : online_active(plan, sums, presence, rule, up_to);
  } else {
    const Period gone = rule.current < rule.gone_after ? 0 : rule.current - rule.gone_after;
    const Sums active_now = without_rows(sums, presence, gone);
    const std::vector<std::uint64_t> devices = active_now.enrolled_by_period();
    const std::vector<std::uint64_t> heard =
        plan.heartbeats ? heard_by_period(sums, presence) : std::vector<std::uint64_t>();
    for (const PeriodEstimate& at : estimate(plan, active_now, kind, up_to)) {
      const bool all_told = at.period <= std::max(gone, presence.merged());
      const std::uint64_t reports = !plan.heartbeats ? active_now.at(0, at.period).count
                                    : all_told       ? devices[at.period - 1]
                                                     : heard[at.period - 1];
      estimates.push_back({at, devices[at.period - 1], reports});
    }
  }
  for (ActiveEstimate& estimate : estimates) {
    if (estimate.devices == 0) estimate.at.estimate = estimate.at.stddev = kNotKnown;
  }
  return estimates;
}

}  // namespace futurerand
