// PartSums: what one shard has counted of one metric, and the bytes of its row in the table `sums`.
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

// Two are equal if they are the same in memory: what is counted anew is made anew.
struct PartSums {
  std::shared_ptr<const Sums> sums = {};                   // null: nothing is known
  std::shared_ptr<const Presence> presence = {};           // null if the metric does not keep it
  std::shared_ptr<const FinalSeasons> final_seasons = {};  // null if the metric has an end
  friend bool operator==(const PartSums&, const PartSums&) = default;
};

// This requires sums of this plan.
std::string to_bytes(const Plan& plan, const PartSums& part);
// Reads what has a presence like this one, which is empty, or none, and final seasons if the metric
// has no end. It is an error if they are not of this plan.
Result<PartSums> parse_sums_bytes(const Plan& plan, std::optional<Presence> presence,
                                  std::string_view bytes, bool endless = false);

}  // namespace futurerand
