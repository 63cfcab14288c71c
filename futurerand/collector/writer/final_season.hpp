// FinalSeason: the sums and figures of a finished season of a metric without an end. Nothing else
// is kept of the season, and they never change again.
//
// Memory: 64 bytes for each period, and 4 more for each row of a coding; the same again for each
// segment. Thread safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/estimator/panel.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

struct FinalSeason {
  Sums sums;
  std::shared_ptr<const Panel> panel;

  std::uint64_t memory_bytes() const;
};
// By season number. Seasons without devices are left out.
using FinalSeasons = std::map<std::int64_t, std::shared_ptr<const FinalSeason>>;

// The bytes of one season, for the log, and of all of them, for checkpoints.
std::string to_bytes(const Plan& plan, const FinalSeason& season);
Result<FinalSeason> parse_final_season(const Plan& plan, std::string_view bytes);
std::string to_bytes(const Plan& plan, const FinalSeasons& seasons);
Result<FinalSeasons> parse_final_seasons(const Plan& plan, std::string_view bytes);

// Encodes the sums of an endless metric for checkpoints and imports: its own fold, with no reports
// in it, and its final seasons. load_endless_sums() decodes them into a new fold of the plan.
std::string endless_sums(const Plan& plan, const Fold& fold, const FinalSeasons& seasons);
Result<FinalSeasons> load_endless_sums(const Plan& plan, std::string_view bytes, Fold& fold);

// Adds the sums and figures of other devices in the same seasons.
void add(const Plan& plan, FinalSeasons& to, const FinalSeasons& more);

}  // namespace futurerand
