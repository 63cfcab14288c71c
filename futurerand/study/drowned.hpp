// When the error drowns the answer: a band so wide that the count could be nearly anything must not
// look like a result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace futurerand {

// Returns the middle one, or not a number if there are none.
double median(std::vector<double> values);

// Returns a warning if a typical band of this level is at least half as wide as there are devices,
// or if none is known (not a number); empty otherwise.
std::string drowned(std::uint64_t devices, double typical_band, double level);

// Returns the same warning for several protocols at once, in one sentence; empty if none is named.
std::string drowned_together(const std::vector<std::string>& protocols, double level);

// Whether the error drowns the answer; false if there is no band.
bool is_drowned(std::uint64_t devices, double typical_band);

}  // namespace futurerand
