#include "futurerand/estimator/answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/coding/coded_rows.hpp"
#include "futurerand/estimator/enrolled.hpp"
#include "futurerand/estimator/group_answer.hpp"
#include "futurerand/estimator/panels.hpp"
#include "futurerand/estimator/robustness/influence.hpp"
#include "futurerand/estimator/segment_answer.hpp"

namespace futurerand {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// In `hybrid` every claim of a change takes an estimate: tens of milliseconds up to here, and
// seconds for the longest horizons. Nothing else takes much longer than an estimate.
constexpr Period kLongestHybrid = 1 << 14;
// In `pulse` every period takes its own weights of all periods before it.
constexpr Period kLongestPulse = 1 << 10;

Status check(const Plan& plan, const Folded& folded, const Question& question) {
  if (!(question.level > 0 && question.level < 1)) {
    return Error{"level is " + std::to_string(question.level) +
                 "; expected a probability between 0 and 1, such as 0.95"};
  }
  if (question.window < 1 || question.window > plan.num_periods) {
    return Error{"window is " + std::to_string(question.window) + "; expected 1 to " +
                 std::to_string(plan.num_periods) + " periods"};
  }
  const bool needs_presence = plan.coding.has_rows() || question.window > 1;
  const std::string what = plan.coding.has_rows() ? "labels and buckets" : "a window";
  if (needs_presence && question.estimator == EstimatorKind::kTrend) {
    return Error{"estimator is trend; expected online for " + what};
  }
  if (needs_presence && (question.estimand == Estimand::kEnrolled || folded.presence == nullptr)) {
    return Error{"estimand is enrolled; expected active for " + what};
  }
  if (!plan.coding.has_rows() &&
      (question.values.label || question.values.rows != ValueRows::kDefault)) {
    return Error{"the metric counts " + std::string(name_of(plan.coding.kind())) +
                 " values; expected no label, top or quantile"};
  }
  if (question.estimand != Estimand::kActive) return {};
  if (const Status shown = shows_who_is_active(plan); !shown) {
    return Error{"estimand is active; expected enrolled: " + shown.error().message};
  }
  if (folded.presence == nullptr) {
    return Error{"estimand is active; expected enrolled, since active devices are not kept"};
  }
  return {};
}

// Counts the reports due at the end of each period.
void count_due(const Plan& plan, const Sums& sums, std::vector<AnswerRow>& rows) {
  for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
    const Schedule schedule(plan.views[view], plan.num_periods);
    const std::vector<std::uint64_t> expected = sums.expected_reports(view);
    for (std::uint32_t index = 1; index <= expected.size(); ++index) {
      const Period due = schedule.due(index);
      if (due > rows.size()) break;
      rows[due - 1].reports += sums.at(view, index).count;
      rows[due - 1].expected += expected[index - 1];
    }
  }
}

// All completed periods, without bands.
std::vector<AnswerRow> rows_of(const Plan& plan, const Folded& folded, Estimand estimand,
                               EstimatorKind kind, Period inactive_after, Period up_to,
                               Period window = 1) {
  std::vector<AnswerRow> rows;
  if (estimand == Estimand::kActive) {
    for (const ActiveEstimate& active :
         estimate_active(plan, folded.sums, *folded.presence, {folded.current, inactive_after},
                         kind, up_to, window)) {
      rows.push_back({.period = active.at.period,
                      .estimate = active.at.estimate,
                      .stddev = active.at.stddev,
                      .devices = active.devices,
                      .reports = active.reports,
                      .expected = active.devices});
    }
    return rows;
  }
  const std::vector<std::uint64_t> enrolled = folded.sums.enrolled_by_period();
  for (const PeriodEstimate& at :
       estimate_enrolled(plan, folded.sums, folded.presence, kind, up_to)) {
    const std::uint64_t devices = enrolled[at.period - 1];
    // Sums of nobody give exactly 0. That would look like a result.
    rows.push_back({.period = at.period,
                    .estimate = devices > 0 ? at.estimate : kUnknown,
                    .stddev = devices > 0 ? at.stddev : kUnknown,
                    .devices = devices});
  }
  count_due(plan, folded.sums, rows);
  return rows;
}

std::vector<PeriodEstimate> estimates_of(const std::vector<AnswerRow>& rows) {
  std::vector<PeriodEstimate> estimates;
  for (const AnswerRow& row : rows) estimates.push_back({row.period, row.estimate, row.stddev});
  return estimates;
}

Alarm alarm_of(const Plan& plan, const Folded& folded, const std::vector<AnswerRow>& online) {
  if (folded.presence == nullptr) {
    return check_enrolled(plan, folded.sums, static_cast<Period>(online.size()));
  }
  std::vector<double> devices;
  for (const AnswerRow& row : online) devices.push_back(static_cast<double>(row.devices));
  return check_estimates(plan, folded.sums, *folded.presence, estimates_of(online), devices);
}

// Contributions are capped only in estimates that add up single devices.
std::optional<double> cap_bias_of(const Presence* presence, Estimand estimand, EstimatorKind kind,
                                  const std::vector<AnswerRow>& rows) {
  const bool adds_devices = estimand == Estimand::kActive || kind != EstimatorKind::kTrend;
  if (presence == nullptr || !presence->estimate().is_capped() || !adds_devices || rows.empty()) {
    return std::nullopt;
  }
  const AnswerRow& newest = rows.back();
  return presence->estimate().bias(newest.period) * static_cast<double>(newest.devices);
}

std::string note_on(const Answer& answer) {
  if (answer.devices == 0) return "No device has joined yet, so nothing is known.";
  return note_on_unknown(answer, "too few devices had joined, or their reports are missing");
}

double newest_moved(const Plan& plan, const Folded& folded, Estimand estimand,
                    const std::vector<AnswerRow>& online) {
  const bool takes_long =
      (plan.protocol == Protocol::kHybrid && plan.num_periods > kLongestHybrid) ||
      (plan.protocol == Protocol::kPulse && plan.num_periods > kLongestPulse);
  if (takes_long || online.empty() || !std::isfinite(online.back().estimate)) return kUnknown;
  return one_device_moves(plan, folded, estimand, online).back();
}

// Rows of a yes/no metric or a number.
std::vector<AnswerRow> banded_rows(const Plan& plan, const Folded& folded, const Question& question,
                                   Estimand estimand, Period up_to) {
  std::vector<AnswerRow> rows = rows_of(plan, folded, estimand, question.estimator,
                                        question.inactive_after, up_to, question.window);
  for (AnswerRow& row : rows) {
    if (folded.asked_share == 1) break;
    row.stddev = std::sqrt(
        row.stddev * row.stddev +
        sampling_variance(row.estimate, static_cast<double>(row.devices), 1 - folded.asked_share));
  }
  const std::vector<PeriodEstimate> estimates = estimates_of(rows);
  const std::vector<Band> bands =
      question.simultaneous ? simultaneous_bands(estimates, question.level, plan.num_periods)
                            : pointwise_bands(estimates, question.level);
  for (std::size_t i = 0; i < bands.size(); ++i) rows[i].band = bands[i];
  return rows;
}

Result<std::vector<AnswerRow>> value_rows(const Plan& plan, const Folded& folded,
                                          const Question& question, Period up_to) {
  return coded_rows(plan, folded.sums, *folded.presence, {folded.current, question.inactive_after},
                    {.from = std::max<Period>(question.from, 1),
                     .to = std::min(question.to, up_to),
                     .level = question.level,
                     .simultaneous = question.simultaneous,
                     .horizon = plan.num_periods,
                     .window = question.window,
                     .resting = 1 - folded.asked_share},
                    question.values);
}

bool is_mean(const Coding& coding, const ValueQuestion& values) {
  return coding.kind() == CodingKind::kDistribution && values.rows == ValueRows::kDefault &&
         !values.label;
}

std::optional<NumberScale> scale_of(const Coding& coding, const ValueQuestion& values) {
  if (const auto* number = std::get_if<NumberCoding>(&coding.settings())) {
    return NumberScale{number->low, number->high, number->unit};
  }
  if (!is_mean(coding, values)) return std::nullopt;
  const auto& distribution = std::get<DistributionCoding>(coding.settings());
  return NumberScale{distribution.low, distribution.high, distribution.unit};
}

}  // namespace

void name_values(const Coding& coding, const ValueQuestion& values, Answer& found) {
  found.has_labels = coding.has_rows() && !is_mean(coding, values);
  found.has_quantiles = values.rows == ValueRows::kQuantiles;
  found.scale = scale_of(coding, values);
}

namespace {

// About all devices, by a plan without segments.
Result<Answer> answer_all(const Plan& plan, const Folded& folded, const Question& question) {
  if (const Status valid = check(plan, folded, question); !valid) return valid.error();
  const Estimand estimand = question.estimand.value_or(
      folded.presence == nullptr ? Estimand::kEnrolled : Estimand::kActive);
  const Period up_to = std::min(folded.current == 0 ? 0 : folded.current - 1, plan.num_periods);
  Answer found{question.estimator,    estimand,        question.level,
               question.simultaneous, question.window, folded.current};
  for (std::uint64_t devices : folded.sums.enrolled_by_period()) found.devices = devices;
  Result<std::vector<AnswerRow>> rows = plan.coding.has_rows()
                                            ? value_rows(plan, folded, question, up_to)
                                            : banded_rows(plan, folded, question, estimand, up_to);
  if (!rows) return rows.error();
  found.rows = *std::move(rows);
  found.too_noisy = too_noisy_band(found.rows);

  std::vector<AnswerRow> online;
  const bool shows_online = question.estimator == EstimatorKind::kOnline && question.window == 1 &&
                            !plan.coding.has_rows();
  if (shows_online) {
    online = found.rows;
  } else if (!question.figures_only) {
    online =
        rows_of(plan, folded, estimand, EstimatorKind::kOnline, question.inactive_after, up_to);
  }
  if (!question.figures_only) found.alarm = alarm_of(plan, folded, online);
  found.one_device_moves = question.influence && !question.figures_only
                               ? newest_moved(plan, folded, estimand, online)
                               : kUnknown;
  found.cap_bias = cap_bias_of(folded.presence, estimand, question.estimator, online);
  if (plan.coding.has_rows()) {
    const double more = coded_influence(plan.coding, question.values);
    found.one_device_moves *= more;
    if (found.cap_bias) *found.cap_bias *= more;
  }

  std::erase_if(found.rows, [&](const AnswerRow& row) {
    return row.period < question.from || row.period > question.to;
  });
  name_values(plan.coding, question.values, found);
  found.note = note_on(found);
  found.counted = counted_in_words(estimand, question.inactive_after);
  found.assumption = assumption_of(estimand, question.estimator);
  scale_to_group(folded.asked_share, found);
  return found;
}

}  // namespace

AnswerStratum answer_stratum_of(const Folded& folded) {
  return [folded](const Plan& plan, std::optional<std::uint32_t> stratum,
                  const Question& question) -> Result<Answer> {
    if (!stratum) return answer_all(plan, folded, question);
    return answer_all(plan, FoldedStratum(folded, *stratum).folded(), question);
  };
}

Result<Answer> answer(const Plan& plan, const Folded& folded, const Question& question) {
  return answer_segments(plan, question, answer_stratum_of(folded));
}

Result<Comparison> compare(const Plan& plan, const Folded& folded, const Question& question,
                           const std::string& against) {
  return compare_segments(plan, question, against, answer_stratum_of(folded));
}

std::vector<double> one_device_moves(const Plan& plan, const Folded& folded, Estimand estimand,
                                     const std::vector<AnswerRow>& online) {
  const auto up_to = static_cast<Period>(online.size());
  if (folded.presence == nullptr) return influence_on(plan, folded.sums, up_to).most;
  // An active device is counted by its own reports alone. For all enrolled devices, the reporting
  // ones stand for the others.
  std::vector<double> most = influence_on_active(folded.presence->estimate(), up_to);
  for (std::size_t t = 0; t < most.size() && estimand == Estimand::kEnrolled; ++t) {
    const AnswerRow& row = online[t];
    const bool reported = row.reports > 0;
    most[t] *=
        reported
            ? std::max(1.0, static_cast<double>(row.expected) / static_cast<double>(row.reports))
            : kUnknown;
  }
  return most;
}

bool is_too_noisy(double devices, double typical_band) { return typical_band >= devices / 2; }

std::optional<double> too_noisy_band(const std::vector<AnswerRow>& rows) {
  std::vector<double> shares, widths;
  for (const AnswerRow& row : rows) {
    if (!std::isfinite(row.band.upper)) continue;
    shares.push_back(row.share_band().upper - row.share_band().lower);
    widths.push_back(row.band.upper - row.band.lower);
  }
  if (!is_too_noisy(1, median(std::move(shares)))) return std::nullopt;
  return median(std::move(widths));
}

std::string note_on_unknown(const Answer& answer, std::string_view why) {
  if (answer.current <= 1) return "The first period is not over yet, so nothing is known.";
  const auto unknown =
      std::count_if(answer.rows.begin(), answer.rows.end(),
                    [](const AnswerRow& row) { return !std::isfinite(row.estimate); });
  if (unknown == 0) return "";
  return std::to_string(unknown) + " of " + std::to_string(answer.rows.size()) +
         " periods are unknown: " + std::string(why) + ".";
}

double median(std::vector<double> values) {
  if (values.empty()) return kUnknown;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace futurerand
