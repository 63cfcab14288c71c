// Panel: the sums of one season of a metric without an end, by its own periods. Panels of different
// devices add up, so the shards of a cluster may each have a part. panels.md has the proofs.
//
// Memory: 32 bytes for each period, and 4 more for each row of a coding; the same again for each
// segment. Thread safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/answer.hpp"

namespace futurerand {

// Sums over the active devices of a period.
struct PanelPeriod {
  double value = 0;     // of what they hold
  double variance = 0;  // of the estimate, without the bias of the cap
  double devices = 0;
  double reports = 0;
  friend bool operator==(const PanelPeriod&, const PanelPeriod&) = default;
};

struct Panel {
  std::vector<PanelPeriod> periods;  // element a-1 is period a of the season
  // For a coding with rows: num_codes() sums of 2 psi - 1 for each period (CodedSums).
  std::vector<float> rows;
  std::vector<Panel> strata = {};  // of a plan with segments one for each

  std::uint64_t memory_bytes() const;
  friend bool operator==(const Panel&, const Panel&) = default;
};

// All completed periods of the season. Periods without reports count nobody. Requires sums and
// presence of the plan.
Panel panel_of(const Plan& plan, const Folded& folded, Period inactive_after);

// Adds a panel of other devices of the same season. It may have fewer or more periods.
void add(Panel& to, const Panel& more);

}  // namespace futurerand
