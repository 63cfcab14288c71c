#include "futurerand/collector/api/estimates.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "futurerand/documents/answer_document.hpp"
#include "futurerand/documents/difference_document.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/difference.hpp"
#include "futurerand/estimator/endless_answer.hpp"
#include "futurerand/estimator/segment_answer.hpp"

namespace futurerand {
namespace {

template <typename Value>
bool read_number(const std::optional<std::string>& text, Value low, Value high, Value& value) {
  if (!text) return true;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() && end == text->data() + text->size() && value >= low &&
         value <= high;
}

// segment= and by=segment.
void read_segments(const Target& target, Question& question) {
  question.segment = target.find("segment");
  question.by_segment = target.find("by") == "segment";
}

// label=, by=label or by=cumulative, top=, quantile= and curve=.
Status read_values(const Target& target, ValueQuestion& values) {
  values.label = target.find("label");
  if (const auto by = target.find("by"); by && *by != "segment") {
    if (*by != "label" && *by != "cumulative") return Error{"by is label, cumulative or segment"};
    values.rows = *by == "label" ? ValueRows::kByLabel : ValueRows::kCumulative;
  }
  if (const auto top = target.find("top")) {
    values.rows = ValueRows::kTop;
    if (!read_number(top, std::uint32_t{1}, kMostTop, values.top)) {
      return Error{"top is a number of labels from 1 to " + std::to_string(kMostTop)};
    }
  }
  if (const auto list = target.find("quantile")) {
    Result<std::vector<double>> shares = parse_quantiles(*list);
    if (!shares) return shares.error();
    values.rows = ValueRows::kQuantiles;
    values.quantiles = *std::move(shares);
  }
  if (const auto curve = target.find("curve")) {
    if (*curve != "monotone" && *curve != "unbiased") {
      return Error{"curve is monotone or unbiased"};
    }
    values.unbiased = *curve == "unbiased";
  }
  return {};
}

// Reads the question of a query; answer() decides whether it can be answered.
Result<Question> read_question(const MetricDefinition& metric, const Target& target) {
  Question question;
  question.inactive_after = metric.inactive_after;
  const Period last = metric.plan.num_periods;
  const Period last_period = metric.seasons ? kNeverPeriod : last;
  if (!read_number(target.find("from"), Period{1}, last_period, question.from) ||
      !read_number(target.find("to"), Period{1}, last_period, question.to)) {
    return Error{metric.seasons ? "from and to are periods from 1 on"
                                : "from and to are periods from 1 to " + std::to_string(last)};
  }
  if (!read_number(target.find("level"), 0.0, 1.0, question.level)) {
    return Error{"level is a probability between 0 and 1, such as 0.95"};
  }
  if (const auto name = target.find("estimator")) {
    const auto kind = estimator_named(*name);
    if (!kind) return Error{"estimator is online, hindsight or trend"};
    question.estimator = *kind;
  }
  if (const auto name = target.find("estimand")) {
    question.estimand = estimand_named(*name);
    if (!question.estimand) return Error{"estimand is active or enrolled"};
  }
  if (const auto band = target.find("band")) {
    if (*band != "pointwise" && *band != "simultaneous") {
      return Error{"band is pointwise or simultaneous"};
    }
    question.simultaneous = *band == "simultaneous";
  }
  if (!read_number(target.find("window"), Period{1}, last, question.window)) {
    return Error{"window is a number of periods from 1 to " + std::to_string(last)};
  }
  read_segments(target, question);
  if (const Status values = read_values(target, question.values); !values) return values.error();
  return question;
}

bool prefers_csv(const std::string& accept) {
  return accept.find("text/csv") != std::string::npos &&
         accept.find("application/json") == std::string::npos;
}

PeriodDates dates_of(const MetricDefinition& metric) { return {metric.clock, metric.time_zone}; }

// The counts of a metric with an end, or of one season.
class Counted {
 public:
  Counted(const MetricSnapshot& metric, Period current)
      : plan_(metric.definition->plan),
        estimate_(metric.final_panel == nullptr
                      ? nullptr
                      : DeviceEstimate::of(plan_, metric.definition->transcript_cap)),
        answer_(metric.final_panel == nullptr
                    ? answer_stratum_of({metric.sums, metric.presence.get(), current,
                                         metric.definition->asked_share()})
                    : answer_stratum_of(plan_, metric.final_panel, estimate_.get(),
                                        metric.definition->asked_share())) {}

  Result<Answer> answer(const Question& question) const {
    if (!answer_) return answer_.error();
    return answer_segments(plan_, question, *answer_);
  }
  const Result<AnswerStratum>& by_stratum() const { return answer_; }

 private:
  const Plan& plan_;
  std::shared_ptr<const DeviceEstimate> estimate_;
  Result<AnswerStratum> answer_;
};

std::string csv_of(const Answer& found, const AnswerSource& source) {
  return to_csv(found, source.dates, source.annotations);
}
std::string csv_of(const Comparison& found, const AnswerSource& source) {
  return to_csv(found, source.dates);
}

ApiResponse respond_with(const Plan& plan, const auto& found, const AnswerSource& source,
                         bool csv) {
  if (csv) return {200, "text/csv; charset=utf-8", csv_of(found, source)};
  return json_response(to_json(plan, found, source));
}

ApiResponse respond_to(const MetricSnapshot& metric, const Call& call, const std::string& as_of,
                       const AnswerStratum& answer_stratum) {
  const MetricDefinition& definition = *metric.definition;
  Result<Question> question = read_question(definition, call.target);
  if (!question) return error_response(400, "bad_query", question.error().message);
  const bool csv = prefers_csv(call.request.accept);
  question->influence = !csv;
  question->values.candidates = metric.candidates;
  const Plan& plan = definition.plan;
  const AnswerSource source{definition.name, definition.test, dates_of(definition), as_of,
                            metric.annotations};
  if (const auto against = call.target.find("against")) {
    question->influence = false;
    const Result<Comparison> found = compare_segments(plan, *question, *against, answer_stratum);
    if (!found) return error_response(400, "bad_query", found.error().message);
    return respond_with(plan, *found, source, csv);
  }
  const Result<Answer> found = answer_segments(plan, *question, answer_stratum);
  if (!found) return error_response(400, "bad_query", found.error().message);
  return respond_with(plan, *found, source, csv);
}

Result<DifferenceQuestion> read_difference(const MetricSnapshot& metric, const Target& target) {
  DifferenceQuestion question;
  question.inactive_after = metric.definition->inactive_after;
  const Result<PeriodSpan> before = parse_period_span(target.find("before").value_or(""), "before");
  if (!before) return before.error();
  const Result<PeriodSpan> after = parse_period_span(target.find("after").value_or(""), "after");
  if (!after) return after.error();
  question.before = *before;
  question.after = *after;
  if (!read_number(target.find("level"), 0.0, 1.0, question.level)) {
    return Error{"level is a probability between 0 and 1, such as 0.95"};
  }
  if (target.find("by") == "segment") return Error{"by is segment; expected segment=, or label"};
  question.segment = target.find("segment");
  if (const Status values = read_values(target, question.values); !values) return values.error();
  question.values.candidates = metric.candidates;
  return question;
}

template <typename Find>
ApiResponse respond_difference(const MetricSnapshot& metric, const Call& call,
                               const std::string& as_of, const Find& find) {
  const MetricDefinition& definition = *metric.definition;
  const Result<DifferenceQuestion> question = read_difference(metric, call.target);
  if (!question) return error_response(400, "bad_query", question.error().message);
  const Result<Difference> found = find(*question);
  if (!found) return error_response(400, "bad_query", found.error().message);
  return json_response(
      to_json(*found, {definition.name, definition.test, dates_of(definition), as_of}));
}

template <typename Find>
std::string newest_row(const MetricSnapshot& metric, Period last, const Find& find) {
  if (last == 0) return "";
  Question question;
  question.inactive_after = metric.definition->inactive_after;
  question.influence = false;
  question.values.candidates = metric.candidates;
  question.from = question.to = last;
  const Result<Answer> found = find(question);
  if (!found || found->rows.empty()) return "";
  // Of labels the most frequent one.
  const auto most = std::max_element(
      found->rows.begin(), found->rows.end(),
      [](const AnswerRow& a, const AnswerRow& b) { return a.estimate < b.estimate; });
  return to_json(*most, dates_of(*metric.definition), found->scale);
}

}  // namespace

ApiResponse estimates_response(const MetricSnapshot& metric, Period current, const Call& call,
                               const std::string& as_of) {
  const Counted counted(metric, current);
  const Result<AnswerStratum>& answer = counted.by_stratum();
  if (!answer) return error_response(400, "bad_query", answer.error().message);
  return respond_to(metric, call, as_of, *answer);
}

ApiResponse estimates_response(const MetricSnapshot& endless, const Panels& panels,
                               const Call& call, const std::string& as_of) {
  const bool names_range = call.target.find("from") || call.target.find("to");
  const auto two_cycles = static_cast<Period>(2 * panels.calendar.cycle());
  const AnswerStratum answer = answer_stratum_of(panels);
  return respond_to(endless, call, as_of,
                    [&](const Plan& plan, std::optional<std::uint32_t> stratum, Question question) {
                      if (!names_range && panels.up_to() > two_cycles) {
                        question.from = panels.up_to() - two_cycles + 1;
                      }
                      return answer(plan, stratum, question);
                    });
}

ApiResponse difference_response(const MetricSnapshot& metric, Period current, const Call& call,
                                const std::string& as_of) {
  return respond_difference(metric, call, as_of, [&](const DifferenceQuestion& question) {
    return difference(
        metric.definition->plan,
        {metric.sums, metric.presence.get(), current, metric.definition->asked_share()}, question);
  });
}

ApiResponse difference_response(const MetricSnapshot& endless, const Panels& panels,
                                const Call& call, const std::string& as_of) {
  return respond_difference(endless, call, as_of, [&](const DifferenceQuestion& question) {
    return difference_of_panels(endless.definition->plan, panels, question);
  });
}

std::string newest_estimate(const MetricSnapshot& metric, Period current) {
  return newest_row(
      metric, last_complete(*metric.definition, current),
      [&](const Question& question) { return Counted(metric, current).answer(question); });
}

std::string newest_estimate(const MetricSnapshot& endless, const Panels& panels) {
  return newest_row(endless, panels.up_to(), [&](const Question& question) {
    return answer_panels(endless.definition->plan, panels, question);
  });
}

}  // namespace futurerand
