#include "futurerand/wire/stored_metric.hpp"

#include "futurerand/core/plan/gone.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/metric_request.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

}  // namespace

std::string to_stored_text(const MetricDefinition& metric) {
  Json text = {{"name", metric.name},
               {"request", metric.request},
               {"start_ms", milliseconds(metric.start.time_since_epoch()).count()},
               {"plan", to_json(metric.plan)}};
  if (metric.gone_after > 0) text["gone_after"] = metric.gone_after;
  if (metric.transcript_cap) text["transcript_cap"] = true;
  return text.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<MetricDefinition> parse_stored_metric(std::string_view text) {
  const Result<Json> parsed = parse_json_object(text, "the definition of a metric");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, "the definition of a metric",
                    {"name", "request", "start_ms", "plan", "gone_after", "transcript_cap"});
  const std::string& name = object.text("name");
  if (!object.error() && !is_metric_name(name)) object.fail("no metric is called " + shown(name));
  const std::string& request_text = object.text("request");
  const std::string& plan_text = object.text("plan");
  const Json* start = object.find("start_ms");
  const auto* start_ms = start == nullptr ? nullptr : start->get_ptr<const std::int64_t*>();
  if (start_ms == nullptr) object.fail("start_ms is no whole number");
  const Period gone_after =
      object.has("gone_after") ? object.integer32("gone_after", kMinGoneAfter, kMaxGoneAfter) : 0;
  const bool transcript_cap = object.has("transcript_cap") && object.boolean("transcript_cap");
  if (object.error()) return *object.error();

  Result<Plan> plan = parse_plan(plan_text);
  if (!plan) return plan.error();
  if (const Status shown = shows_who_is_active(*plan); gone_after > 0 && !shown) {
    return shown.error();
  }
  if (transcript_cap && (gone_after == 0 || plan->protocol != Protocol::kInnovation)) {
    return Error{"the definition of a metric: transcript_cap without a transcript that is kept"};
  }
  Result<MetricRequest> request = parse_metric_request(request_text);
  if (!request) return request.error();
  return MetricDefinition{
      .name = name,
      .description = std::move(request->description),
      .plan = *std::move(plan),
      .manual_clock = request->manual_clock,
      .start = std::chrono::floor<std::chrono::seconds>(Instant(milliseconds(*start_ms))),
      .period_length = request->period_length,
      .grace = request->grace,
      .test = request->test,
      .max_devices = request->max_devices,
      .gone_after = gone_after,
      .transcript_cap = transcript_cap,
      .request = request_text};
}

}  // namespace futurerand
