// What a metric keeps of who is there, before anybody is.
//
// Thread safety: pure functions and a plain value.
#pragma once

#include <optional>
#include <utility>

#include "futurerand/estimator/presence.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

// None where all that ever enrolled are counted.
inline std::optional<Presence> empty_presence(const MetricDefinition& metric) {
  if (metric.inactive_after == 0) return std::nullopt;
  return empty_presence(metric.plan, metric.transcript_cap, metric.inactive_after);
}

// A metric that nobody is in. To work out the limits of its transcripts takes milliseconds, so
// that it is made by whoever asks for it, and the writer, for whom others wait, finds it made.
struct NewMetric {
  NewMetric(MetricDefinition of)
      : definition(std::move(of)), presence(empty_presence(definition)) {}

  MetricDefinition definition;
  std::optional<Presence> presence;
};

}  // namespace futurerand
