#include "futurerand/collector/api/estimates.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "futurerand/documents/answer_document.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/endless_answer.hpp"

namespace futurerand {
namespace {

template <typename Value>
bool read_number(const std::optional<std::string>& text, Value low, Value high, Value& value) {
  if (!text) return true;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() && end == text->data() + text->size() && value >= low &&
         value <= high;
}

// label=, by=label or by=cumulative, top=, quantile= and curve=.
Status read_values(const Target& target, ValueQuestion& values) {
  values.label = target.find("label");
  if (const auto by = target.find("by")) {
    if (*by != "label" && *by != "cumulative") return Error{"by is label or cumulative"};
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

// What a query asks; whether it can be answered is for answer() to say.
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
  if (const Status values = read_values(target, question.values); !values) return values.error();
  return question;
}

bool prefers_csv(const std::string& accept) {
  return accept.find("text/csv") != std::string::npos &&
         accept.find("application/json") == std::string::npos;
}

PeriodDates dates_of(const MetricDefinition& metric) { return {metric.clock, metric.time_zone}; }

Result<Answer> answer_of(const MetricSnapshot& metric, Period current, const Question& question) {
  const Plan& plan = metric.definition->plan;
  if (metric.final_panel != nullptr) {
    const bool capped = metric.definition->transcript_cap;
    const auto estimate = DeviceEstimate::of(plan, capped);
    return answer_final(plan, metric.final_panel, estimate.get(), question);
  }
  return answer(plan, {metric.sums, metric.presence.get(), current}, question);
}

// `find` answers a question.
template <typename Find>
ApiResponse respond_to(const MetricSnapshot& metric, const Call& call, const std::string& as_of,
                       const Find& find) {
  const MetricDefinition& definition = *metric.definition;
  Result<Question> question = read_question(definition, call.target);
  if (!question) return error_response(400, "bad_query", question.error().message);
  const bool csv = prefers_csv(call.request.accept);
  question->influence = !csv;
  question->values.candidates = metric.candidates;
  const Result<Answer> found = find(*question);
  if (!found) return error_response(400, "bad_query", found.error().message);
  if (csv) return {200, "text/csv; charset=utf-8", to_csv(*found, dates_of(definition))};
  return json_response(to_json(definition.plan, *found,
                               {definition.name, definition.test, dates_of(definition), as_of}));
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
  return respond_to(metric, call, as_of,
                    [&](const Question& question) { return answer_of(metric, current, question); });
}

ApiResponse estimates_response(const MetricSnapshot& endless, const Panels& panels,
                               const Call& call, const std::string& as_of) {
  const bool names_range = call.target.find("from") || call.target.find("to");
  const auto two_cycles = static_cast<Period>(2 * panels.calendar.cycle());
  return respond_to(endless, call, as_of, [&](Question question) {
    if (!names_range && panels.up_to() > two_cycles)
      question.from = panels.up_to() - two_cycles + 1;
    return answer_panels(endless.definition->plan, panels, question);
  });
}

std::string newest_estimate(const MetricSnapshot& metric, Period current) {
  return newest_row(metric, last_complete(*metric.definition, current),
                    [&](const Question& question) { return answer_of(metric, current, question); });
}

std::string newest_estimate(const MetricSnapshot& endless, const Panels& panels) {
  return newest_row(endless, panels.up_to(), [&](const Question& question) {
    return answer_panels(endless.definition->plan, panels, question);
  });
}

}  // namespace futurerand
