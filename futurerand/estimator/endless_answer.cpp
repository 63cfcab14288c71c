#include "futurerand/estimator/endless_answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "futurerand/estimator/coding/coded_rows.hpp"
#include "futurerand/estimator/group_answer.hpp"
#include "futurerand/estimator/robustness/influence.hpp"

namespace futurerand {
namespace {

constexpr double kUnknownFigure = std::numeric_limits<double>::quiet_NaN();

Status check_question(const Question& question) {
  if (!(question.level > 0 && question.level < 1)) {
    return Error{"level is " + std::to_string(question.level) +
                 "; expected a probability between 0 and 1, such as 0.95"};
  }
  if (question.window != 1) {
    return Error{"window is " + std::to_string(question.window) +
                 "; expected 1 for a metric with seasons"};
  }
  if (question.estimator == EstimatorKind::kTrend) {
    return Error{"estimator is trend; expected online for a metric with seasons"};
  }
  if (question.estimand == Estimand::kEnrolled) {
    return Error{"estimand is enrolled; expected active for a metric with seasons"};
  }
  return {};
}

AnswerRow row_of(Period t, const ActiveCount& count, double unobserved) {
  AnswerRow row{.period = t, .estimate = kUnknownFigure, .stddev = kUnknownFigure};
  row.devices = static_cast<std::uint64_t>(std::llround(count.devices));
  row.reports = static_cast<std::uint64_t>(std::llround(count.reports));
  row.expected = row.devices;
  if (row.devices == 0) return row;
  row.estimate = count.value;
  row.stddev = std::sqrt(count.variance_with_bias() +
                         sampling_variance(count.value, count.devices, unobserved));
  return row;
}

std::vector<AnswerRow> plain_rows(const Panels& panels, const Question& question, Period from,
                                  Period to) {
  std::vector<AnswerRow> rows;
  std::vector<PeriodEstimate> estimates;
  for (Period t = from; t <= to; ++t) {
    rows.push_back(row_of(t, panels.count(t), panels.unobserved()));
    estimates.push_back({t, rows.back().estimate, rows.back().stddev});
  }
  const std::vector<Band> bands = question.simultaneous
                                      ? simultaneous_bands(estimates, question.level)
                                      : pointwise_bands(estimates, question.level);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].band = bands[i];
  return rows;
}

class PanelPeriods final : public CodedPeriods {
 public:
  PanelPeriods(const Panels& panels, std::size_t num_codes)
      : panels_(panels), num_codes_(num_codes) {}

  ActiveCount count(Period t) const override { return panels_.count(t); }
  std::unique_ptr<Walk> walk(Period from) const override {
    return std::make_unique<PanelWalk>(*this, from);
  }

 private:
  class PanelWalk final : public Walk {
   public:
    PanelWalk(const PanelPeriods& of, Period from) : of_(of), next_(from) {}
    CodedSums next() override {
      const Period t = next_++;
      const ActiveCount count = of_.count(t);
      return {of_.panels_.rows(t, of_.num_codes_), count.devices, count.variance_with_bias()};
    }

   private:
    const PanelPeriods& of_;
    Period next_;
  };

  const Panels& panels_;
  std::size_t num_codes_;
};

// The influence of one device is at most that in the oldest panel, since estimates add up reports.
double most_moved(const Panels& panels, Period t) {
  if (panels.estimate == nullptr || t == 0) return kUnknownFigure;
  const auto season = static_cast<Period>(panels.calendar.season());
  const std::vector<double> moved = influence_on_active(*panels.estimate, season);
  return *std::max_element(moved.begin(), moved.end());
}

}  // namespace

std::string taking_part(const Calendar& calendar) {
  return "devices taking part in the period; each takes part for " +
         std::to_string(calendar.season()) + " periods, then rests for " +
         std::to_string(calendar.rest());
}

std::string endless_assumption() {
  return "shares are those of all devices, because each device draws its seasons whatever its "
         "value "
         "is; " +
         assumption_of(Estimand::kActive, EstimatorKind::kOnline);
}

namespace {

// About the observed devices, by a plan without segments: those that take part, and of a group
// those that drew the metric.
Result<Answer> answer_observed(const Plan& plan, const Panels& panels, const Question& question) {
  if (const Status valid = check_question(question); !valid) return valid.error();
  const Period up_to = panels.up_to();
  const Period from = std::max<Period>(question.from, 1);
  const Period to = std::min(question.to, up_to);
  if (to >= from && to - from >= kMostEndlessPeriods) {
    return Error{"the answer would have " + std::to_string(to - from + 1) +
                 " periods; expected at most " + std::to_string(kMostEndlessPeriods) +
                 " (from, to)"};
  }
  Answer found{question.estimator, Estimand::kActive, question.level, question.simultaneous, 1,
               panels.current};
  if (plan.coding.has_rows()) {
    const PanelPeriods periods(panels, plan.coding.num_codes());
    Result<std::vector<AnswerRow>> rows = coded_rows(plan.coding, periods,
                                                     {.from = from,
                                                      .to = to,
                                                      .level = question.level,
                                                      .simultaneous = question.simultaneous,
                                                      .horizon = to < from ? 1 : to - from + 1,
                                                      .resting = panels.unobserved()},
                                                     question.values);
    if (!rows) return rows.error();
    found.rows = *std::move(rows);
  } else if (question.values.label || question.values.rows != ValueRows::kDefault) {
    return Error{"the metric counts " + std::string(name_of(plan.coding.kind())) +
                 " values; expected no label, top or quantile"};
  } else {
    found.rows = plain_rows(panels, question, from, to);
  }
  const ActiveCount newest = up_to > 0 ? panels.count(up_to) : ActiveCount{};
  found.devices = static_cast<std::uint64_t>(std::llround(newest.devices));
  found.too_noisy = too_noisy_band(found.rows);
  if (!question.figures_only) found.alarm = check_panels(panels, question.inactive_after);
  found.one_device_moves =
      question.influence && !question.figures_only ? most_moved(panels, up_to) : kUnknownFigure;
  if (panels.estimate != nullptr && panels.estimate->is_capped() && up_to > 0) {
    found.cap_bias = newest.bias;
  }
  if (plan.coding.has_rows()) {
    const double more = coded_influence(plan.coding, question.values);
    found.one_device_moves *= more;
    if (found.cap_bias) *found.cap_bias *= more;
  }
  name_values(plan.coding, question.values, found);
  found.note = note_on_unknown(found, "no device took part, or reports are missing");
  found.counted = taking_part(panels.calendar);
  found.assumption = endless_assumption();
  return found;
}

// About all devices, by a plan without segments.
Result<Answer> answer_timeline(const Plan& plan, const Panels& panels, const Question& question) {
  Result<Answer> found = answer_observed(plan, panels, question);
  if (found) scale_to_group(panels.asked_share, *found);
  return found;
}

// A season that is final, by its own periods and for its own devices.
Result<Answer> answer_season(const Plan& plan, const Panels& season, const Question& question) {
  Question all = question;
  all.to = std::min(question.to, plan.num_periods);
  Result<Answer> found = answer_observed(plan, season, all);
  if (!found) return found.error();
  found->counted = counted_in_words(Estimand::kActive, question.inactive_after);
  found->assumption = assumption_of(Estimand::kActive, EstimatorKind::kOnline);
  scale_to_group(season.asked_share, *found);
  return found;
}

using AnswerPanels = Result<Answer>(const Plan&, const Panels&, const Question&);

AnswerStratum by_stratum(const Panels& panels, AnswerPanels* answer) {
  return [panels, answer](const Plan& plan, std::optional<std::uint32_t> stratum,
                          const Question& question) {
    return stratum ? answer(plan, panels.stratum(*stratum), question)
                   : answer(plan, panels, question);
  };
}

}  // namespace

AnswerStratum answer_stratum_of(const Panels& panels) {
  return by_stratum(panels, answer_timeline);
}

Result<AnswerStratum> answer_stratum_of(const Plan& plan, std::shared_ptr<const Panel> season,
                                        const DeviceEstimate* estimate, double asked_share) {
  // A calendar of one season without a rest has the season's own periods.
  const Result<Calendar> own = Calendar::create(plan.num_periods, plan.num_periods, 0);
  if (!own) return own.error();
  Panels panels{*own, plan.num_periods + 1, estimate, {}, asked_share};
  panels.seasons.emplace(1, std::move(season));
  return by_stratum(panels, answer_season);
}

Result<Answer> answer_panels(const Plan& plan, const Panels& panels, const Question& question) {
  return answer_segments(plan, question, answer_stratum_of(panels));
}

}  // namespace futurerand
