// When an estimate is too noisy to be useful: its band is so wide that the count could be nearly
// anything. Such an estimate must not look like a result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace futurerand {

// Returns the middle one, or not a number if there are none.
double median(std::vector<double> values);

// Returns a warning if a typical band of this level is at least half as wide as there are devices,
// or if none is known (not a number); empty otherwise.
std::string too_noisy(std::uint64_t devices, double typical_band, double level);

// Returns the same warning for several protocols at once, in one sentence; empty if none is named.
std::string too_noisy_together(const std::vector<std::string>& protocols, double level);

// Whether the estimate is too noisy to be useful; false if there is no band.
bool is_too_noisy(std::uint64_t devices, double typical_band);

}  // namespace futurerand
