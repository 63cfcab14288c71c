// Initial (empty) presence of a new metric.
//
// Thread safety: pure functions and a plain value.
#pragma once

#include <optional>
#include <utility>

#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

// None if the metric counts every enrolled device for good.
inline std::optional<Presence> empty_presence(const MetricDefinition& metric) {
  if (metric.inactive_after == 0) return std::nullopt;
  return empty_presence(metric.plan, metric.transcript_cap);
}

// A metric without devices. Computing the limits of its cap takes milliseconds, so the requesting
// thread does that. The writer must not delay other requests.
struct NewMetric {
  NewMetric(MetricDefinition of)
      : definition(std::move(of)), presence(empty_presence(definition)) {}

  MetricDefinition definition;
  std::optional<Presence> presence;
};

}  // namespace futurerand
