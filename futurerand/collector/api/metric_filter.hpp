// MetricFilter: which metrics a list has, from the query of GET /v1/metrics.
#pragma once

#include <cstdint>
#include <string>

#include "futurerand/collector/api/target.hpp"
#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct MetricFilter {
  static constexpr std::uint32_t kMaxLimit = 1000;

  std::string name;   // a part of it
  std::string state;  // waiting, open, grace or closed; empty: any
  bool archived = false;
  bool in_sight = true;
  std::uint32_t limit = kMaxLimit;
  std::string after;  // names up to this one were on earlier pages

  static Result<MetricFilter> read(const Target& target);
  bool has(const MetricSnapshot& metric, Instant now) const;
};

}  // namespace futurerand
