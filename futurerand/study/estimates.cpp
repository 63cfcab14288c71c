#include "futurerand/study/estimates.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/enrolled.hpp"
#include "futurerand/estimator/self_check.hpp"
#include "futurerand/estimator/stated_cap.hpp"
#include "futurerand/study/ranges.hpp"
#include "futurerand/study/simulation_question.hpp"
#include "futurerand/study/too_noisy.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Band> bands_of(const Plan& plan, const std::vector<PeriodEstimate>& estimates,
                           const EstimateQuestion& question) {
  return question.simultaneous ? simultaneous_bands(estimates, question.level, plan.num_periods)
                               : pointwise_bands(estimates, question.level);
}

// Periods after the last that anybody reported are not known.
std::vector<EstimatedPeriod> active_rows(const FoldedReports& folded,
                                         const EstimateQuestion& question) {
  const Plan& plan = folded.header.plan;
  const std::vector<ActiveEstimate> active =
      estimate_active(plan, folded.sums, *folded.presence, {folded.current, question.gone_after},
                      question.estimator, folded.current - 1);
  std::vector<PeriodEstimate> estimates;
  for (const ActiveEstimate& at : active) estimates.push_back(at.at);
  const std::vector<Band> bands = bands_of(plan, estimates, question);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<EstimatedPeriod> rows;
  for (Period t = 1; t <= plan.num_periods; ++t) {
    if (t <= active.size()) {
      rows.push_back(
          {estimates[t - 1], bands[t - 1], active[t - 1].reports, active[t - 1].devices});
    } else {
      rows.push_back({{t, kUnknown, kUnknown}, {kUnknown, kUnknown}});
    }
  }
  return rows;
}

// Before the horizon is over, who is there is known for a part of it only.
const Presence* known_presence(const FoldedReports& folded) {
  const bool is_over = folded.current > folded.header.plan.num_periods;
  return is_over && folded.presence ? &*folded.presence : nullptr;
}

std::vector<EstimatedPeriod> enrolled_rows(const FoldedReports& folded,
                                           const EstimateQuestion& question) {
  const Plan& plan = folded.header.plan;
  const std::vector<PeriodEstimate> estimates = estimate_enrolled(
      plan, folded.sums, known_presence(folded), question.estimator, plan.num_periods);
  const std::vector<Band> bands = bands_of(plan, estimates, question);
  std::vector<EstimatedPeriod> rows;
  for (std::size_t i = 0; i < estimates.size(); ++i) rows.push_back({estimates[i], bands[i]});
  for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
    const std::vector<std::uint64_t> expected = folded.sums.expected_reports(view);
    for (std::uint32_t index = 1; index <= expected.size(); ++index) {
      EstimatedPeriod& row = rows[Schedule(plan.views[view], plan.num_periods).due(index) - 1];
      row.reports += folded.sums.at(view, index).count;
      row.expected += expected[index - 1];
    }
  }
  return rows;
}

std::string warning_of(const FoldedReports& folded, double level,
                       const std::vector<EstimatedPeriod>& rows) {
  std::vector<double> widths;
  for (const EstimatedPeriod& row : rows) {
    if (std::isfinite(row.band.upper)) widths.push_back(row.band.upper - row.band.lower);
  }
  return too_noisy(folded.devices, median(std::move(widths)), level);
}

Alarm alarm_of(const FoldedReports& folded, const EstimateQuestion& question,
               const Estimates& found) {
  const Plan& plan = folded.header.plan;
  if (found.estimand == Estimand::kEnrolled) {
    return enrolled_alarm(plan, folded.sums, known_presence(folded), plan.num_periods);
  }
  if (question.estimator == EstimatorKind::kTrend) return {};  // its errors are others
  std::vector<PeriodEstimate> estimates;
  std::vector<double> devices;
  for (const EstimatedPeriod& row : found.rows) {
    estimates.push_back(row.at);
    devices.push_back(static_cast<double>(row.expected));
  }
  return check_estimates(plan, folded.sums, *folded.presence, estimates, devices);
}

std::optional<double> cap_bias_of(const FoldedReports& folded, const EstimateQuestion& question,
                                  const Estimates& found) {
  const bool is_active = found.estimand == Estimand::kActive;
  const Presence* presence = is_active ? &*folded.presence : known_presence(folded);
  const Period newest = is_active ? folded.current - 1 : folded.header.plan.num_periods;
  if (newest == 0) return std::nullopt;
  return cap_bias(presence, found.estimand, question.estimator, newest,
                  static_cast<double>(found.rows[newest - 1].expected));
}

}  // namespace

Result<Estimates> make_estimates(const FoldedReports& folded, const EstimateQuestion& question) {
  const Status valid =
      first_failure(kLevelRange.check(question.level), kGoneAfterRange.check(question.gone_after));
  if (!valid) return valid.error();
  const Result<Estimand> estimand = chosen_estimand(question.estimand, folded.header.plan);
  if (!estimand) return estimand.error();
  Estimates found{*estimand == Estimand::kActive ? active_rows(folded, question)
                                                 : enrolled_rows(folded, question),
                  *estimand};
  found.warning = warning_of(folded, question.level, found.rows);
  found.alarm = alarm_of(folded, question, found);
  found.cap_bias = cap_bias_of(folded, question, found);
  return found;
}

nlohmann::ordered_json to_json(const FoldedReports& folded, const EstimateQuestion& question,
                               const Estimates& estimates) {
  const auto or_null = [](double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  const Plan& plan = folded.header.plan;
  const Estimand estimand = estimates.estimand;
  const GoneWords gone{question.gone_after, plan.heartbeats, plan.num_periods};
  Json json = {{"protocol", name_of(plan.protocol)},
               {"num_periods", plan.num_periods},
               {"max_changes", plan.max_changes},
               {"epsilon", plan.epsilon.value()},
               {"devices", folded.devices},
               {"seeded", folded.header.seeded},
               {"estimator", name_of(question.estimator)},
               {"estimand", name_of(estimand)},
               {"counted", counted_in_words(estimand, question.estimator, gone)},
               {"assumption", assumption_of(estimand, question.estimator, gone)},
               {"level", question.level},
               {"band", question.simultaneous ? "simultaneous" : "pointwise"},
               {"alarm", estimates.alarm ? Json(estimates.alarm.text) : Json(nullptr)},
               {"warning", estimates.warning.empty() ? Json(nullptr) : Json(estimates.warning)},
               {"periods", Json::array()}};
  if (estimates.cap_bias) {
    json["transcript_cap"] = {{"rate", kCapRate}, {"bias_at_most", *estimates.cap_bias}};
  }
  for (const EstimatedPeriod& row : estimates.rows) {
    json["periods"].push_back({{"period", row.at.period},
                               {"estimate", or_null(row.at.estimate)},
                               {"stddev", or_null(row.at.stddev)},
                               {"lower", or_null(row.band.lower)},
                               {"upper", or_null(row.band.upper)},
                               {"reports", row.reports},
                               {"expected", row.expected}});
  }
  return json;
}

}  // namespace futurerand
