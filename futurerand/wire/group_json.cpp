#include "futurerand/wire/group_json.hpp"

#include "futurerand/wire/metric.hpp"

namespace futurerand {
namespace {

std::optional<MetricGroup> read_checked(JsonObject& group) {
  const std::string name = group.text("name");
  if (!group.error() && !is_metric_name(name)) {
    group.fail("name is " + shown(name) +
               "; expected 1 to 64 letters, digits, '_', '-' or '.', not starting with '.'");
  }
  const nlohmann::json& shares = group.object("shares");
  if (group.error()) return std::nullopt;
  if (shares.size() > MetricGroup::kMaxMembers) {
    group.fail("shares has " + std::to_string(shares.size()) + " metrics; expected at most " +
               std::to_string(MetricGroup::kMaxMembers));
    return std::nullopt;
  }
  JsonObject list(shares, "shares");
  std::vector<MetricGroup::Member> members;
  for (const auto& [metric, unused] : shares.items()) {
    if (!is_metric_name(metric)) list.fail("no metric is called " + shown(metric));
    members.push_back({metric, list.integer32(metric, 1, MetricGroup::kMaxShare)});
  }
  if (list.error()) {
    group.fail(list.error()->message);
    return std::nullopt;
  }
  Result<MetricGroup> made = MetricGroup::create(name, std::move(members));
  if (made) return *std::move(made);
  group.fail(made.error().message);
  return std::nullopt;
}

}  // namespace

std::optional<MetricGroup> read_group(JsonObject& object, const std::string& metric) {
  const nlohmann::json& json = object.object("group");
  if (object.error()) return std::nullopt;
  JsonObject inside(json, "group", {"name", "shares"});
  std::optional<MetricGroup> group = read_checked(inside);
  if (inside.error()) {
    object.fail(inside.error()->message);
    return std::nullopt;
  }
  const std::optional<SeasonName> season = season_named(metric);
  const std::string& member = season ? season->metric : metric;
  if (group->has(member)) return group;
  object.fail("the group '" + group->name() + "' does not have the metric '" + member +
              "'; expected each metric's own name among the shares");
  return std::nullopt;
}

void put_group(JsonWriter& json, const MetricGroup& group) {
  json.begin_object().member("name", group.name()).key("shares").begin_object();
  for (const MetricGroup::Member& member : group.members()) {
    json.member(member.metric, member.share);
  }
  json.end_object().end_object();
}

}  // namespace futurerand
