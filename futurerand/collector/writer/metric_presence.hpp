// What a metric keeps of who is there, before anybody is.
//
// Thread safety: a pure function.
#pragma once

#include <optional>

#include "futurerand/estimator/presence.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

// None where all that ever enrolled are counted.
inline std::optional<Presence> empty_presence(const MetricDefinition& metric) {
  if (metric.gone_after == 0) return std::nullopt;
  return empty_presence(metric.plan, metric.transcript_cap, metric.gone_after);
}

}  // namespace futurerand
