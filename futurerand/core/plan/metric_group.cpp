#include "futurerand/core/plan/metric_group.hpp"

#include <algorithm>

namespace futurerand {
namespace {

Status check_name(std::string_view what, std::string_view name) {
  if (!name.empty() && name.size() <= MetricGroup::kMaxNameBytes) return {};
  return Error{"the name of " + std::string(what) + " has " + std::to_string(name.size()) +
               " bytes; expected 1 to " + std::to_string(MetricGroup::kMaxNameBytes)};
}

}  // namespace

Result<MetricGroup> MetricGroup::create(std::string name, std::vector<Member> members) {
  if (const Status valid = check_name("the group", name); !valid) return valid.error();
  if (members.size() < kMinMembers || members.size() > kMaxMembers) {
    return Error{"the group '" + name + "' has " + std::to_string(members.size()) +
                 " metrics; expected " + std::to_string(kMinMembers) + " to " +
                 std::to_string(kMaxMembers)};
  }
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.metric < b.metric; });
  for (const Member& member : members) {
    if (const Status valid = check_name("a metric of the group '" + name + "'", member.metric);
        !valid) {
      return valid.error();
    }
    if (member.share < 1 || member.share > kMaxShare) {
      return Error{"the share of the metric '" + member.metric + "' is " +
                   std::to_string(member.share) + "; expected 1 to " + std::to_string(kMaxShare)};
    }
  }
  const auto same =
      std::adjacent_find(members.begin(), members.end(),
                         [](const Member& a, const Member& b) { return a.metric == b.metric; });
  if (same != members.end()) {
    return Error{"the group '" + name + "' names the metric '" + same->metric +
                 "' twice; expected each once"};
  }
  return MetricGroup(std::move(name), std::move(members));
}

std::uint32_t MetricGroup::total() const {
  std::uint32_t sum = 0;  // at most 64 million
  for (const Member& member : members_) sum += member.share;
  return sum;
}

bool MetricGroup::has(std::string_view metric) const { return share_of(metric) > 0; }

double MetricGroup::share_of(std::string_view metric) const {
  for (const Member& member : members_) {
    if (member.metric == metric) return static_cast<double>(member.share) / total();
  }
  return 0;
}

const MetricGroup::Member& MetricGroup::at(std::uint32_t place) const {
  const Member* member = members_.data();
  for (; place >= member->share; ++member) place -= member->share;
  return *member;
}

}  // namespace futurerand
