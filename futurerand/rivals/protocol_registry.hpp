// Every protocol that can be simulated and compared, by name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

// The names in the order of their listing, and how each is made. A protocol that cannot serve the
// settings (a budget out of its range) says why.
std::vector<std::string_view> simulated_protocol_names();
Result<std::unique_ptr<SimulatedProtocol>> make_simulated_protocol(
    std::string_view name, const ProtocolSettings& settings);

}  // namespace futurerand
