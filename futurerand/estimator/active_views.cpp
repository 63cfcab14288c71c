#include "futurerand/estimator/active_views.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/estimator/estimator.hpp"

namespace futurerand {
namespace {

// Those who were there at a period, and what the reports of them alone say of each period up to it.
class ViewCohort {
 public:
  ViewCohort(const Plan& plan, const Sums& sums)
      : fresh_(make_estimator(plan)),
        sums_(sums),
        devices_(sums.enrolled_by_period()),
        running_(fresh_->copy()) {}

  // The next period's estimate.
  const PeriodEstimate& advance() {
    return last_ = running_->advance(sums_, devices_[last_.period]);
  }
  // Without the devices of a row the periods so far are estimated anew.
  void remove(const Presence& presence, Period left) {
    presence.subtract_row(left, sums_);
    devices_ = sums_.enrolled_by_period();
    running_ = fresh_->copy();
    const Period so_far = last_.period;
    for (last_ = {}; last_.period < so_far;) advance();
  }

  const PeriodEstimate& last() const { return last_; }
  std::uint64_t devices(Period t) const { return devices_[t - 1]; }

 private:
  std::unique_ptr<Estimator> fresh_;  // of no period yet; making one takes longer than copying it
  Sums sums_;
  std::vector<std::uint64_t> devices_;
  std::unique_ptr<Estimator> running_;
  PeriodEstimate last_;  // its period is 0 before the first
};

// Those who are missing and not gone: what they held when they were last heard.
struct LateDevices {
  double value = 0;
  double variance = 0;
  std::uint64_t devices = 0;

  // What the cohort said of the last period with them and without them. The share of the noise is
  // that of the devices, as it is of any part drawn at random.
  void add(const PeriodEstimate& with, std::uint64_t devices_with, const PeriodEstimate& without,
           std::uint64_t devices_without) {
    if (devices_with == devices_without) return;
    const std::uint64_t late = devices_with - devices_without;
    value += with.estimate - without.estimate;
    variance +=
        with.stddev * with.stddev * static_cast<double>(late) / static_cast<double>(devices_with);
    devices += late;
  }
};

}  // namespace

std::vector<ActiveEstimate> online_active_views(const Plan& plan, const Sums& sums,
                                                const Presence& presence, const GoneRule& rule,
                                                Period up_to) {
  const std::vector<std::uint64_t> heard = heard_by_period(sums, presence);
  ViewCohort cohort(plan, sums);
  LateDevices late;
  std::vector<ActiveEstimate> estimates;
  for (Period t = 1; t <= up_to; ++t) {
    if (presence.row(t).devices > 0) {
      const PeriodEstimate with = cohort.last();
      // Who joined in t and never told of it is not counted: nothing is known of it.
      const std::uint64_t devices_with = t == 1 ? 0 : cohort.devices(t - 1);
      cohort.remove(presence, t);
      if (t > 1 && !presence.is_merged(t) && !rule.is_gone(t)) {
        late.add(with, devices_with, cohort.last(), cohort.devices(t - 1));
      }
    }
    const PeriodEstimate& there = cohort.advance();
    ActiveEstimate& active = estimates.emplace_back();
    active.at = {t, there.estimate + late.value,
                 std::sqrt(there.stddev * there.stddev + late.variance)};
    active.devices = cohort.devices(t) + late.devices;
    // Those who left later in a step that is merged told of it, and are not counted.
    active.reports = presence.is_merged(t) ? cohort.devices(t) : heard[t - 1];
  }
  return estimates;
}

std::vector<std::uint64_t> heard_by_period(const Sums& sums, const Presence& presence) {
  std::vector<std::uint64_t> heard = sums.enrolled_by_period();
  std::uint64_t missing = 0;
  for (Period t = 1; t <= heard.size(); ++t) heard[t - 1] -= missing += presence.missing(t);
  return heard;
}

}  // namespace futurerand
