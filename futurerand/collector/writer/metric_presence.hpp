// Initial (empty) presence of a new metric.
//
// Thread safety: pure functions and a plain value.
#pragma once

#include <optional>
#include <utility>

#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

// None if the metric counts all that ever enrolled.
inline std::optional<Presence> empty_presence(const MetricDefinition& metric) {
  if (metric.inactive_after == 0) return std::nullopt;
  return empty_presence(metric.plan, metric.transcript_cap);
}

// A metric without devices. To work out the limits of its cap takes milliseconds, so whoever asks
// for the metric makes it. The writer, for whom others wait, finds it made.
struct NewMetric {
  NewMetric(MetricDefinition of)
      : definition(std::move(of)), presence(empty_presence(definition)) {}

  MetricDefinition definition;
  std::optional<Presence> presence;
};

}  // namespace futurerand
