#include "futurerand/collector/api/metric_filter.hpp"

#include "futurerand/documents/metric_status.hpp"
#include "futurerand/wire/json_object.hpp"

namespace futurerand {

Result<MetricFilter> MetricFilter::read(const Target& target) {
  MetricFilter filter;
  filter.name = target.find("name").value_or("");
  filter.after = target.find("after").value_or("");
  filter.state = target.find("state").value_or("");
  if (!filter.state.empty() && filter.state != "waiting" && filter.state != "open" &&
      filter.state != "grace" && filter.state != "closed") {
    return Error{"state is waiting, open, grace or closed"};
  }
  const std::string archived = target.find("archived").value_or("false");
  if (archived != "false" && archived != "true" && archived != "all") {
    return Error{"archived is false, true or all"};
  }
  filter.archived = archived != "false";
  filter.in_sight = archived != "true";
  if (const auto limit = target.find("limit")) {
    const std::optional<std::uint64_t> number = parse_decimal(*limit);
    if (!number || *number < 1 || *number > kMaxLimit) {
      return Error{"limit is a number from 1 to " + std::to_string(kMaxLimit)};
    }
    filter.limit = static_cast<std::uint32_t>(*number);
  }
  return filter;
}

bool MetricFilter::has(const MetricSnapshot& metric, Instant now) const {
  const MetricDefinition& definition = *metric.definition;
  return (metric.archived ? archived : in_sight) &&
         definition.name.find(name) != std::string::npos &&
         (state.empty() ||
          state == state_name(definition, metric.period_at(now), metric.ended.has_value()));
}

}  // namespace futurerand
