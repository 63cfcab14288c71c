#include "futurerand/study/group_plan.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/plan/recommendation.hpp"
#include "futurerand/wire/coding_json.hpp"
#include "futurerand/wire/group_json.hpp"
#include "futurerand/wire/metric.hpp"
#include "futurerand/wire/plan_json.hpp"

namespace futurerand {
namespace {

GroupMetric read_group_metric(const nlohmann::json& json, const PlanQuestion& defaults,
                              const Coding& default_coding, JsonObject& file) {
  JsonObject object(json, "metrics", {"name", "periods", "changes", "initial", "value", "weight"});
  GroupMetric metric{object.text("name"), defaults.periods, defaults.changes,
                     defaults.initial,    default_coding,   1};
  if (!object.error() && !is_metric_name(metric.name)) {
    object.fail("no metric is called " + shown(metric.name));
  }
  if (object.has("periods")) metric.periods = object.integer32("periods", 1, kMaxPeriods);
  if (object.has("changes")) metric.changes = object.integer32("changes", 0, kMaxChanges);
  if (object.has("initial")) metric.initial = read_initial(object);
  if (object.has("value")) metric.coding = read_value_key(object);
  if (object.has("weight")) metric.weight = object.integer32("weight", 1, MetricGroup::kMaxShare);
  if (!object.error() && metric.coding.has_rows()) {
    object.fail("the value of '" + metric.name + "' is of kind " +
                std::string(name_of(metric.coding.kind())) +
                "; expected yes_no or number, whose errors compare");
  }
  if (object.error()) file.fail(object.error()->message);
  return metric;
}

// The error of the share of all devices, from a part of them: their noise, and the sampling of them
// if half of the devices hold 1. The prediction of one answer includes the sampling already.
double share_error(const Plan& plan, double asked, double part) {
  const double noise = predict_error(plan, asked).rmse / asked;
  const double sampling = plan.protocol == Protocol::kOnce ? 0 : 0.25 * (1 - part) / asked;
  return std::sqrt(noise * noise + sampling);
}

// `part` of the users are asked.
Result<GroupShare> share_of(const GroupMetric& metric, Epsilon epsilon, std::uint64_t users,
                            double part) {
  const Result<Plan> plan =
      recommended_plan(metric.periods, metric.changes, epsilon, metric.initial, metric.coding);
  if (!plan) return Error{"metric '" + metric.name + "': " + plan.error().message};
  const double asked = static_cast<double>(users) * part;
  return GroupShare{epsilon, asked, plan->protocol, share_error(*plan, asked, part)};
}

Result<Epsilon> part_of(const GroupQuestion& question, const GroupMetric& metric) {
  // Rounded down, so that the parts sum to at most the whole.
  const Result<Epsilon> part =
      Epsilon::from_nanos(question.epsilon.nanos() * metric.weight / question.group.total());
  if (part) return part;
  return Error{"metric '" + metric.name +
               "' would get a part of epsilon that is too small: " + part.error().message};
}

nlohmann::ordered_json to_json(const GroupShare& share) {
  return {{"epsilon", share.epsilon.text()},
          {"devices", share.devices},
          {"protocol", name_of(share.protocol)},
          {"share_error", share.share_error}};
}

}  // namespace

Result<GroupQuestion> read_group_question(std::string_view json, const PlanQuestion& defaults) {
  const std::string where = "the list of metrics";
  const Result<nlohmann::json> parsed = parse_json_object(json, where);
  if (!parsed) return parsed.error();
  const Result<Coding> coding = defaults.coding();
  if (!coding) return coding.error();
  JsonObject object(*parsed, where, {"name", "metrics"});
  const std::string name = object.has("name") ? object.text("name") : "group";
  if (!object.error() && !is_metric_name(name)) {
    object.fail("no group is called " + shown(name));
  }
  std::vector<GroupMetric> metrics;
  std::vector<MetricGroup::Member> members;
  for (const nlohmann::json& entry : object.array("metrics")) {
    if (members.size() == MetricGroup::kMaxMembers) {
      object.fail("metrics has more than " + std::to_string(MetricGroup::kMaxMembers) +
                  " entries; expected at most as many");
    }
    if (!entry.is_object()) object.fail("metrics: expected objects with a name");
    if (object.error()) return *object.error();
    metrics.push_back(read_group_metric(entry, defaults, *coding, object));
    members.push_back({metrics.back().name, metrics.back().weight});
  }
  if (object.error()) return *object.error();
  Result<MetricGroup> group = MetricGroup::create(name, std::move(members));
  if (!group) return Error{where + ": " + group.error().message};
  return GroupQuestion{defaults.users, defaults.epsilon, std::move(metrics), *std::move(group)};
}

Result<GroupPlan> make_group_plan(const GroupQuestion& question) {
  GroupPlan plan;
  double split_epsilon = 0, split_devices = 0;
  for (const GroupMetric& metric : question.metrics) {
    const Result<Epsilon> part = part_of(question, metric);
    if (!part) return part.error();
    Result<GroupShare> of_epsilon = share_of(metric, *part, question.users, 1);
    if (!of_epsilon) return of_epsilon.error();
    Result<GroupShare> of_devices =
        share_of(metric, question.epsilon, question.users, question.group.share_of(metric.name));
    if (!of_devices) return of_devices.error();
    split_epsilon += of_epsilon->share_error * of_epsilon->share_error;
    split_devices += of_devices->share_error * of_devices->share_error;
    plan.rows.push_back({metric, *of_epsilon, *of_devices});
  }
  const auto count = static_cast<double>(plan.rows.size());
  plan.split_epsilon_error = std::sqrt(split_epsilon / count);
  plan.split_devices_error = std::sqrt(split_devices / count);
  return plan;
}

std::string group_definition(const MetricGroup& group) {
  JsonWriter json;
  put_group(json, group);
  return std::move(json).take();
}

std::string group_plan_document(const GroupQuestion& question, const GroupPlan& plan) {
  nlohmann::ordered_json json = {{"users", question.users},
                                 {"epsilon", question.epsilon.text()},
                                 {"metrics", nlohmann::ordered_json::array()}};
  for (const GroupPlan::Row& row : plan.rows) {
    json["metrics"].push_back({{"name", row.metric.name},
                               {"periods", row.metric.periods},
                               {"max_changes", row.metric.changes},
                               {"weight", row.metric.weight},
                               {"split_epsilon", to_json(row.split_epsilon)},
                               {"split_devices", to_json(row.split_devices)}});
  }
  json["split_epsilon_error"] = plan.split_epsilon_error;
  json["split_devices_error"] = plan.split_devices_error;
  json["recommended"] = plan.recommends_devices() ? "split_devices" : "split_epsilon";
  json["group"] = nlohmann::ordered_json::parse(group_definition(question.group));
  return json.dump(2);
}

}  // namespace futurerand
