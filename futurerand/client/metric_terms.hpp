// MetricTerms: what a device pins of a metric when it joins. Any later difference is refused: a
// server cannot change the plan, restart the metric under the same device, or move its clock.
//
// A metric without an end has seasons. Its terms are pinned once, in the ledger. Each season has
// terms of its own, of one horizon: season_terms().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "futurerand/client/sealed.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct MetricTerms {
  std::string name;
  CertifiedPlan plan;
  Clock clock = {};
  std::optional<Calendar> seasons = {};  // of a metric without an end
  // The season whose terms these are; 0 for the metric itself.
  std::uint64_t season = 0;
  // How long a collector takes late reports, in periods. Not pinned: it costs no privacy.
  Period grace = 1;
  // The group of the metric. The device draws one metric of it, and joins only that.
  std::optional<MetricGroup> group = {};

  // Accepts a metric that a collector describes, once the plan is certified on this device: no
  // server is trusted.
  static Result<MetricTerms> accept(const MetricDefinition& metric);
  // The same, and kRefused unless the digest is the one that came with the application.
  static Result<MetricTerms> accept(const MetricDefinition& metric, const Digest& expected);

  // The same for an application that ships the digest of the plan that it expects
  // (plan_digest.hpp): another plan is kRefused.
  static Result<MetricTerms> accept(const MetricDefinition& metric, std::string_view digest);
  Status check_digest(std::string_view digest) const;

  bool is_endless() const { return seasons && season == 0; }
  // Returns the terms of one season: period 1 is the season's first. Requires valid endless terms
  // and a season of 1 or more.
  MetricTerms season_terms(std::uint64_t of) const;

  // Checks the ranges of the name, the clock and the seasons; the plan was certified already.
  Status validate() const;
  // Returns the digest of all of the above.
  Digest digest() const;
  // Returns the current period at this second since 1970: 0 before the start, num_periods + 1 after
  // the horizon if there is one. Requires a clock that is not manual.
  Period period_at(std::int64_t seconds) const;
  // Checks the segment that a device states: kInvalid unless the plan has it.
  Status check_segment(std::string_view segment) const;
  // Checks that a device may join in this period: kNotStarted before the first one, with the time
  // of the start, and kRefused after the last.
  Status check_joining(Period period) const;
};

}  // namespace futurerand
