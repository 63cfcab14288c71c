#include "apps/report/plan_call.hpp"

#include <fmt/core.h>

#include "futurerand/study/option_table.hpp"
#include "futurerand/study/plan_document.hpp"

namespace futurerand::apps {
namespace {

// Planning is exact arithmetic: untrusted clients may not ask for as much of it as operators may.
constexpr Period kMaxAskedPeriods = 1 << 16;
constexpr std::uint32_t kMaxAskedChanges = 256;
constexpr Period kMaxAskedLife = 1461;  // of a metric without an end: four years of days
constexpr Period kMaxValuePeriods = 1024;
constexpr std::uint32_t kMaxValueChanges = 8;

Status read_question(const Target& target, PlanQuestion& question) {
  for (const Option& option : plan_options(question)) {
    if (option.constant || option.name == "liars") continue;
    const std::optional<std::string> text = target.find(option.name);
    if (!text) continue;
    if (const Status set = option.set(*text); !set) {
      return Error{option.name + ": " + set.error().message};
    }
  }
  if (question.periods > kMaxAskedPeriods || question.changes > kMaxAskedChanges) {
    return Error{
        fmt::format("periods or changes are too many; expected at most {} and {}, or the "
                    "command plan",
                    kMaxAskedPeriods, kMaxAskedChanges)};
  }
  const bool is_number = question.labels && !question.labels->empty() &&
                         question.labels->find_first_not_of("0123456789") == std::string::npos;
  if (question.labels && !is_number) {
    return Error{"labels is no number; expected the number of labels"};
  }
  const bool has_rows =
      question.value != CodingKind::kYesNo && question.value != CodingKind::kNumber;
  if (has_rows && (question.periods > kMaxValuePeriods || question.changes > kMaxValueChanges)) {
    return Error{fmt::format(
        "periods or changes are too many for labels and buckets; expected at most {} and {}, or "
        "the command plan",
        kMaxValuePeriods, kMaxValueChanges)};
  }
  if (question.window && std::max(*question.window, question.life) > kMaxAskedLife) {
    return Error{fmt::format("window or life is too long; expected at most {}, or the command plan",
                             kMaxAskedLife)};
  }
  if (question.target_error && question.estimator == EstimatorKind::kTrend) {
    return Error{
        "target_error takes too long with trend; expected online or hindsight, or the command "
        "plan"};
  }
  return {};
}

}  // namespace

ApiResponse plan_response(const Target& target) {
  const auto refused = [](const Error& error) {
    return error_response(400, "bad_query", error.message);
  };
  PlanQuestion question;
  if (const Status read = read_question(target, question); !read) return refused(read.error());
  const Result<std::vector<PlanRow>> rows = make_plan_rows(question);
  if (!rows) return refused(rows.error());
  const Result<Coding> coding = question.coding();
  if (!coding) return refused(coding.error());
  std::optional<ValuePlan> values;
  if (coding->has_rows()) {
    Result<ValuePlan> made = make_value_plan(question, question.users);
    if (!made) return refused(made.error());
    values = *std::move(made);
  }
  std::optional<SeasonPlan> seasons;
  if (question.window) {
    Result<SeasonPlan> made = make_season_plan(question);
    if (!made) return refused(made.error());
    seasons = *std::move(made);
  }
  std::optional<SegmentPlan> segments;
  const PlanRow* best = question.segments.empty() ? nullptr : recommended(question, *rows);
  if (best != nullptr) {
    Result<SegmentPlan> made = make_segment_plan(question, *best);
    if (!made) return refused(made.error());
    segments = *std::move(made);
  }
  return json_response(plan_document(question, *rows, {}, values, seasons, segments));
}

std::optional<std::string> PlanCalls::find(const std::string& query) {
  const std::lock_guard lock(mutex_);
  const auto at = kept_.find(query);
  return at == kept_.end() ? std::nullopt : std::optional(at->second);
}

void PlanCalls::keep(const std::string& query, const std::string& document) {
  if (query.size() > kMaxKeptQuery) return;
  const std::lock_guard lock(mutex_);
  if (!kept_.emplace(query, document).second) return;
  order_.push_back(query);
  if (order_.size() <= kMaxKept) return;
  kept_.erase(order_.front());
  order_.pop_front();
}

void PlanCalls::take(const Call& call, const Respond& respond) {
  const auto kept = [](std::string document) {
    ApiResponse response;
    response.body = std::move(document);
    return response;
  };
  const std::string& query = call.request.target;
  if (std::optional<std::string> found = find(query)) return respond(kept(*std::move(found)));
  const bool posted = work_.post(
      owners_.of(call.request.address), 1, [this, kept, query, target = call.target, respond] {
        answer_or_fail(respond, say_, [&](const Respond& once) {
          if (stopping_) {
            return once(retry_response(503, "stopping", "the collector stops", 5));
          }
          // Somebody else may have asked the same meanwhile.
          if (std::optional<std::string> found = find(query)) return once(kept(*std::move(found)));
          ApiResponse response = plan_response(target);
          if (response.status == 200) keep(query, response.body);
          once(std::move(response));
        });
      });
  if (!posted)
    respond(retry_response(429, "busy", "too many plans are being computed; ask again", 1));
}

}  // namespace futurerand::apps
