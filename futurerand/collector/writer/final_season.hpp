// FinalSeason: all that is kept of a season of a metric without an end once it is over for good:
// its sums and its figures. They never change again.
//
// Memory: 64 bytes for each period, and 4 more for each row of a coding.
// Thread safety: plain values and pure functions.
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

  std::uint64_t memory_bytes(const Plan& plan) const;
};
// By number. A season in which no device took part is not among them.
using FinalSeasons = std::map<std::int64_t, std::shared_ptr<const FinalSeason>>;

// The bytes of one season, for the log, and of all of them, for checkpoints.
std::string to_bytes(const Plan& plan, const FinalSeason& season);
Result<FinalSeason> parse_final_season(const Plan& plan, std::string_view bytes);
std::string to_bytes(const Plan& plan, const FinalSeasons& seasons);
Result<FinalSeasons> parse_final_seasons(const Plan& plan, std::string_view bytes);

// The sums of an endless metric as checkpoints and imports have them: its own fold, which nobody
// reports to, and its final seasons. The other way round for a new fold of the plan.
std::string endless_sums(const Plan& plan, const Fold& fold, const FinalSeasons& seasons);
Result<FinalSeasons> load_endless_sums(const Plan& plan, std::string_view bytes, Fold& fold);

// Adds what other devices of the same seasons said.
void add(const Plan& plan, FinalSeasons& to, const FinalSeasons& more);

}  // namespace futurerand
