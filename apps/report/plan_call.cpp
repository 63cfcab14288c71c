#include "apps/report/plan_call.hpp"

#include <charconv>

#include "apps/cli/failure.hpp"
#include "apps/report/plan_flags.hpp"
#include "futurerand/study/plan_document.hpp"

namespace futurerand::apps {
namespace {

// Planning is exact arithmetic: a stranger may not ask for as much of it as an operator may.
constexpr Period kMaxAskedPeriods = 1 << 16;
constexpr std::uint32_t kMaxAskedChanges = 256;

template <typename Value>
void read(const Target& target, const char* key, Value low, Value high, Value& value) {
  const std::optional<std::string> text = target.find(key);
  if (!text) return;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() ||
      !(value >= low && value <= high)) {
    throw bad_input(std::string(key) + " '" + *text + "' is wrong; expected a number from " +
                    std::to_string(low) + " to " + std::to_string(high));
  }
}

}  // namespace

ApiResponse plan_response(const Target& target) {
  try {
    PlanCommandFlags flags;
    read(target, "users", std::uint64_t{1}, std::uint64_t{1} << 40, flags.users);
    read(target, "periods", Period{1}, kMaxAskedPeriods, flags.plan.periods);
    read(target, "changes", 1U, kMaxAskedChanges, flags.plan.changes);
    flags.plan.epsilon = target.find("epsilon").value_or(flags.plan.epsilon);
    if (const std::optional<std::string> name = target.find("estimator")) {
      flags.estimator = EstimatorFlags{*name}.kind();
    }
    read(target, "drift", 1e-9, 1.0, flags.drift);
    if (target.find("target_error")) {
      flags.target_error = 0;
      read(target, "target_error", 1e-6, 1.0, *flags.target_error);
      if (flags.estimator == EstimatorKind::kTrend) {
        throw bad_input(
            "target_error is searched for with trend, which takes long; expected it with "
            "online or hindsight, or the command plan");
      }
    }
    const PlanQuestion question = flags.question();
    return json_response(plan_document(question, or_bad_input(make_plan_rows(question))));
  } catch (const Failure& failure) {
    return error_response(400, "bad_query", failure.what());
  }
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
  const bool posted = work_.post(owners_.of(call.request.address), 1,
                                 [this, kept, query, target = call.target, respond] {
                                   answer_or_fail(respond, say_, [&](const Respond& once) {
                                     // Somebody else may have asked the same meanwhile.
                                     if (std::optional<std::string> found = find(query))
                                       return once(kept(*std::move(found)));
                                     ApiResponse response = plan_response(target);
                                     if (response.status == 200) keep(query, response.body);
                                     once(std::move(response));
                                   });
                                 });
  if (!posted) respond(retry_response(429, "busy", "too many plans are being made; ask again", 1));
}

}  // namespace futurerand::apps
