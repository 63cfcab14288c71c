#include "futurerand/wire/published_metric.hpp"

#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/plan_json.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kMaxSeconds = std::uint64_t{1} << 62;

}  // namespace

Result<PublishedMetric> parse_published_metric(std::string_view json) {
  const std::string where = "the collector's description of a metric";
  const Result<nlohmann::json> parsed = parse_json_object(json, where);
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, where);
  const std::string& name = object.text("name");
  const nlohmann::json& plan_json = object.object("plan");
  const bool manual_clock = object.text("clock") == "manual";
  const Period current = object.integer32("current_period", 0, UINT32_MAX);
  const bool test = object.has("test") && object.boolean("test");
  std::uint64_t start = 0;
  std::uint64_t period_seconds = 0;
  if (!manual_clock) {
    start = object.integer("start", 0, kMaxSeconds);
    period_seconds = object.integer("period_seconds", 1, kMaxSeconds);
  }
  if (object.error()) return *object.error();
  Result<Plan> plan = read_plan(plan_json);
  if (!plan) return plan.error();
  return PublishedMetric{name,
                         *std::move(plan),
                         manual_clock,
                         static_cast<std::int64_t>(start),
                         static_cast<std::int64_t>(period_seconds),
                         current,
                         test};
}

}  // namespace futurerand
