// The warning where an estimate is too noisy to be useful: its band is so wide that the count could
// be nearly anything. Such an estimate must not look like a result.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace futurerand {

// The warning for a typical band of this level and width.
std::string too_noisy_text(std::uint64_t devices, double typical_band, double level);

// The same where is_too_noisy() (estimator/answer.hpp), another one if no band is known (not a
// number), and empty otherwise.
std::string too_noisy(std::uint64_t devices, double typical_band, double level);

// One warning for several protocols; empty if none is named.
std::string too_noisy_together(const std::vector<std::string>& protocols, double level);

}  // namespace futurerand
