// GroupPlan: several metrics under one budget, in two ways side by side. Splitting epsilon: each
// device reports all metrics, each at its part of epsilon. Splitting devices: each device draws one
// metric, and reports it at the whole epsilon (core/plan/metric_group.hpp).
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/plan/metric_group.hpp"
#include "futurerand/study/plan_rows.hpp"

namespace futurerand {

struct GroupMetric {
  std::string name;
  Period periods;
  std::uint32_t changes;
  Initial initial;
  Coding coding;
  std::uint32_t weight;  // its part of epsilon or of the devices, out of the sum of all
};

struct GroupQuestion {
  std::uint64_t users;
  Epsilon epsilon;  // of all metrics together
  std::vector<GroupMetric> metrics;
  MetricGroup group;
};

// Reads {"name":"settings","metrics":[{"name":"sync","periods":64,"changes":2,"initial":"unknown",
// "value":{...},"weight":1},...]}. Only the names of the metrics are required. The question has the
// users, epsilon, and what a metric does not name. Fails for values with labels or buckets.
Result<GroupQuestion> read_group_question(std::string_view json, const PlanQuestion& defaults);

// One metric in one of the two ways.
struct GroupShare {
  Epsilon epsilon;
  double devices;
  Protocol protocol;
  double share_error;  // root mean square over periods, of the share of all devices
};

struct GroupPlan {
  struct Row {
    GroupMetric metric;
    GroupShare split_epsilon, split_devices;
  };
  std::vector<Row> rows;
  double split_epsilon_error = 0;  // root mean square over the metrics
  double split_devices_error = 0;

  bool recommends_devices() const { return split_devices_error <= split_epsilon_error; }
};

// Fails as make_plan does, and if a part of epsilon is too small.
Result<GroupPlan> make_group_plan(const GroupQuestion& question);

std::string group_plan_document(const GroupQuestion& question, const GroupPlan& plan);

// Returns the key "group" of each metric's definition.
std::string group_definition(const MetricGroup& group);

}  // namespace futurerand
