// Registry of all protocols for `simulate`, `compare` and `audit`, by name.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

// They are in the order of their listing.
std::span<const ProtocolKind> protocol_kinds();
std::vector<std::string_view> simulated_protocol_names();
// The protocols for values of this kind.
std::vector<std::string_view> protocols_for(CodingKind kind);

// Fails on an unknown name, and on settings outside the protocol's range.
Result<std::unique_ptr<SimulatedProtocol>> make_simulated_protocol(
    std::string_view name, const ProtocolSettings& settings);

}  // namespace futurerand
