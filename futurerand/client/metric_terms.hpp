// MetricTerms: what a device pins of a metric when it joins. Any later difference is refused: a
// server cannot change the plan, restart the metric under the same device, or move its clock.
#pragma once

#include <cstdint>
#include <string>

#include "futurerand/client/sealed.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct MetricTerms {
  std::string name;
  CertifiedPlan plan;
  Clock clock = {};

  // Accepts a metric that a collector describes, once the plan is certified on this device: no
  // server is trusted.
  static Result<MetricTerms> accept(const MetricDefinition& metric);

  // Checks the ranges of the name and of the clock; the plan was certified already.
  Status validate() const;
  // Returns the digest of all of the above.
  Digest digest() const;
  // Returns the current period at this second since 1970: 0 before the start, num_periods + 1 after
  // the horizon. Requires a clock that is not manual.
  Period period_at(std::int64_t seconds) const;
};

}  // namespace futurerand
