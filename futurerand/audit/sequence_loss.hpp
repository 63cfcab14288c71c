// What a rival loses over a whole sequence, towards the server that receives it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

struct SequenceLoss {
  std::optional<double> epsilon;  // none: unbounded
  std::string meaning;            // of that number: which pair of users, a bound or exact
};

// Requires the name of a rival, and settings that make_simulated_protocol accepts for it.
SequenceLoss sequence_loss(std::string_view rival, const ProtocolSettings& settings);

}  // namespace futurerand
