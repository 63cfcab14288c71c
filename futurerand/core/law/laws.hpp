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

// The quiet law with the least noise, null_variance / gap^2. Requires max_changes <= 256.
QuietLaw quiet(std::uint32_t max_changes, Epsilon epsilon);
// `optimal`, or `quiet` where its noise is lower by a percent or more.
Law quietest(std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
