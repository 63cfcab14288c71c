// Protocols with a plan for devices: hybrid, the paper's framework with each law, snapshot and
// repeated. [OWW22] Alg. 1 and 2. Private over the whole sequence, online.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

// `name` is one of core/plan's protocols.
Result<std::unique_ptr<SimulatedProtocol>> make_plan_protocol(std::string_view name,
                                                              const ProtocolSettings& settings);

// Makes a protocol of this name from a plan of the settings' periods, changes and epsilon. Fails if
// the plan is not valid or not certified.
Result<std::unique_ptr<SimulatedProtocol>> make_protocol_from(Plan plan, std::string name,
                                                              const ProtocolSettings& settings);

}  // namespace futurerand
