// The design of `pulse`: windows of 1, 2, 4, .. periods, and which share of the devices serves
// each, so that the mean variance over the periods is smallest. It searches in floating point,
// except for the one integer on which privacy rests. The plan carries the integers.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/core/plan/pulse_prediction.hpp"

namespace futurerand {

// Beyond these, an estimate would take too long.
inline constexpr Period kMaxPulsePeriods = 4096;
inline constexpr std::uint32_t kMaxPulseWindow = 128;

// Views by rising window; weights sum to 2^32. Fails, saying why, unless everybody starts at 0,
// max_changes is 1 and num_periods is 2 to 4096.
Result<std::vector<View>> design_pulse(Period num_periods, std::uint32_t max_changes,
                                       Epsilon epsilon, Initial initial);

// The classes of a plan of `pulse`. Requires a valid one.
std::vector<PulseClass> pulse_classes(const Plan& plan);

}  // namespace futurerand
