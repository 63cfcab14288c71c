// PartSums: one shard's counts of one metric, and the bytes of its row in the table `sums`.
//
// Thread safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "futurerand/collector/writer/final_season.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// Two are equal if they share memory: new counts are new objects.
struct PartSums {
  std::shared_ptr<const Sums> sums = {};                   // null: unknown
  std::shared_ptr<const Presence> presence = {};           // null if the metric has none
  std::shared_ptr<const FinalSeasons> final_seasons = {};  // null if the metric has an end
  friend bool operator==(const PartSums&, const PartSums&) = default;
};

// Requires sums of this plan.
std::string to_bytes(const Plan& plan, const PartSums& part);
// Reads a row. Its presence is like this empty one, or none. It has final seasons if the metric has
// no end. Fails if they do not fit the plan.
Result<PartSums> parse_sums_bytes(const Plan& plan, std::optional<Presence> presence,
                                  std::string_view bytes, bool endless = false);

}  // namespace futurerand
