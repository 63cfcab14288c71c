// The one JSON form of a metric: what the log, exports, the catalogue of a cluster and
// GET /v1/metrics/{name} hold. metric_request.hpp has what an operator asks for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "futurerand/core/base/result.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

// Writes, and reads, the members that a metric's JSON and a request share. A clock that names no
// start begins at `default_start`.
void put_rules(JsonWriter& json, const MetricDefinition& metric);
Result<MetricDefinition> read_rules(JsonObject& object, const std::string& name, Plan plan,
                                    std::int64_t default_start);

// Writes the members of a metric into an open object.
void put_metric(JsonWriter& json, const MetricDefinition& metric);
std::string to_json(const MetricDefinition& metric);
// The plan is valid; whether it is private is for the reader to certify.
Result<MetricDefinition> parse_metric(std::string_view json);
Result<MetricDefinition> read_metric(const nlohmann::json& json);

// The part of GET /v1/metrics/{name} for devices. They ignore unknown keys.
struct PublishedMetric {
  MetricDefinition definition;
  Period current_period = 0;
  std::uint64_t devices = 0;  // that ever enrolled; 0 if the document does not say
};
Result<PublishedMetric> parse_published_metric(std::string_view json);

}  // namespace futurerand
