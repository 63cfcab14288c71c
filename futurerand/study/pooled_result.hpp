// Pools the results of several simulations of one protocol, such as those of several seeds.
#pragma once

#include <vector>

#include "futurerand/simulator/simulation.hpp"

namespace futurerand {

// Joins the trials of all results. Mean squares, shares and means are over all trials together;
// example estimates, truth and predictions by period are those of the first result. Requires one
// result or more, all of one protocol and of as many periods.
SimulationResult pooled(const std::vector<SimulationResult>& results);

}  // namespace futurerand
