// One function a law: (k, epsilon) -> integers. Each has its page beside it.
// Requires 1 <= max_changes; make_law has checked the range of both arguments.
#pragma once

#include "futurerand/core/law/law.hpp"

namespace futurerand {

// Also serves `repeated`, with one sign a period: the only law without the limit of 4096.
ProductLaw warner(std::uint32_t max_changes, Epsilon epsilon);
SingleLaw erlingsson(std::uint32_t max_changes, Epsilon epsilon);
AnnulusLaw bun(std::uint32_t max_changes, Epsilon epsilon);
AnnulusLaw future_rand(std::uint32_t max_changes, Epsilon epsilon);
ThresholdLaw optimal(std::uint32_t max_changes, Epsilon epsilon);

// The quiet law with the least noise, mean_square / gap^2, when at most this share of a device's
// reports carry a change. Requires max_changes <= 128.
QuietLaw quiet(std::uint32_t max_changes, Epsilon epsilon, double changed_share);
// `optimal`, or `quiet` where its noise is lower by a percent or more.
Law quietest(std::uint32_t max_changes, Epsilon epsilon, double changed_share);

}  // namespace futurerand
