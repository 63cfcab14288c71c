// Small plans of `innovation` with any weights, for the exhaustive audits of devices.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "futurerand/core/plan/innovation_design.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

using LawLevels = std::vector<WeightedThresholdLaw::Level>;

// The high side has scores from a share of the largest on, and its probability is the largest
// within the budget.
inline Plan innovation_plan_of(const LawLevels& levels, std::uint32_t theta_share,
                               std::uint32_t changes, Epsilon budget, std::uint32_t rarity) {
  WeightedThresholdLaw law{0, levels, 1, 1, SparseLaw::kUnits >> rarity};
  for (const auto& level : levels) law.num_signs += level.count;
  law.theta = std::max(1U, law.total_weight() / theta_share);
  law.high_side = largest_high_side(law, budget);
  const std::vector<LevelMoments> moments = moments_of(law);
  for (std::size_t l = 0; l < moments.size(); ++l) {
    // A light sign may never decide; gaps do not affect privacy.
    law.levels[l].gap =
        static_cast<std::uint64_t>(std::max(1LL, std::llround(moments[l].mean * 0x1p40)));
    if (l > 0) law.levels[l].gap = std::min(law.levels[l].gap, law.levels[l - 1].gap);
  }
  return {
      Protocol::kInnovation, law.num_signs, changes, budget, {{ViewKind::kInnovation, 0, 1, law}}};
}

}  // namespace futurerand
