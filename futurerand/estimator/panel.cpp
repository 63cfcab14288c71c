#include "futurerand/estimator/panel.hpp"

#include <algorithm>
#include <cmath>

#include "futurerand/estimator/active_counts.hpp"
#include "futurerand/estimator/enrolled.hpp"
#include "futurerand/estimator/segment_answer.hpp"

namespace futurerand {
namespace {

std::vector<PanelPeriod> active_periods(const Folded& folded, const InactiveRule& rule,
                                        Period up_to) {
  std::vector<PanelPeriod> periods;
  for (const ActiveCount& count : active_counts(folded.sums, *folded.presence, rule, up_to)) {
    periods.push_back({count.value, count.variance, count.devices, count.reports});
  }
  return periods;
}

std::vector<PanelPeriod> enrolled_periods(const Plan& plan, const Folded& folded, Period up_to) {
  std::vector<PanelPeriod> periods;
  const std::vector<std::uint64_t> enrolled = folded.sums.enrolled_by_period();
  for (const PeriodEstimate& at :
       estimate_enrolled(plan, folded.sums, folded.presence, EstimatorKind::kOnline, up_to)) {
    const auto devices = static_cast<double>(enrolled[at.period - 1]);
    PanelPeriod& period = periods.emplace_back();
    if (devices == 0 || !std::isfinite(at.estimate)) continue;
    period = {at.estimate, at.stddev * at.stddev, devices, devices};
  }
  return periods;
}

std::vector<float> row_sums(const Presence& presence, const InactiveRule& rule, Period up_to) {
  std::vector<float> all;
  std::vector<std::int64_t> late(presence.num_codes());
  for (Period t = 1; t <= up_to; ++t) {
    if (!rule.is_inactive(t)) presence.add_missing_rows(t, late);
    std::vector<std::int64_t> rows = late;
    presence.add_reported_rows(t, rows);
    for (const std::int64_t row : rows) {
      all.push_back(static_cast<float>(2 * presence.estimate().devices(row)));
    }
  }
  return all;
}

}  // namespace

std::uint64_t Panel::memory_bytes() const {
  std::uint64_t bytes = periods.size() * sizeof(PanelPeriod) + rows.size() * sizeof(float);
  for (const Panel& one : strata) bytes += one.memory_bytes();
  return bytes;
}

Panel panel_of(const Plan& plan, const Folded& folded, Period inactive_after) {
  if (!plan.segments.empty()) {
    const Plan plain = without_segments(plan);
    Panel all = panel_of(plain, folded, inactive_after);
    for (std::uint32_t g = 0; g < plan.segments.num_strata(); ++g) {
      const FoldedStratum one(folded, g);
      all.strata.push_back(panel_of(plain, one.folded(), inactive_after));
    }
    return all;
  }
  const Period up_to = std::min(folded.current == 0 ? 0 : folded.current - 1, plan.num_periods);
  if (folded.presence == nullptr) return {enrolled_periods(plan, folded, up_to), {}};
  const InactiveRule rule{folded.current, inactive_after};
  Panel panel{active_periods(folded, rule, up_to), {}};
  if (plan.coding.has_rows()) panel.rows = row_sums(*folded.presence, rule, up_to);
  return panel;
}

void add(Panel& to, const Panel& more) {
  to.periods.resize(std::max(to.periods.size(), more.periods.size()));
  to.rows.resize(std::max(to.rows.size(), more.rows.size()));
  for (std::size_t i = 0; i < more.periods.size(); ++i) {
    to.periods[i].value += more.periods[i].value;
    to.periods[i].variance += more.periods[i].variance;
    to.periods[i].devices += more.periods[i].devices;
    to.periods[i].reports += more.periods[i].reports;
  }
  for (std::size_t i = 0; i < more.rows.size(); ++i) to.rows[i] += more.rows[i];
  to.strata.resize(std::max(to.strata.size(), more.strata.size()));
  for (std::size_t g = 0; g < more.strata.size(); ++g) add(to.strata[g], more.strata[g]);
}

}  // namespace futurerand
