// The client of every protocol as a black box: flips in, all that is ever sent out.
#pragma once

#include <string_view>

#include "futurerand/device/certified_plan.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"
#include "futurerand/simulator/transcript.hpp"

namespace futurerand {

// The real Device. The header of a transcript is its enrolment (view, and a snapshot's index).
ClientRun device_client(CertifiedPlan plan);

// By name. Fails where the protocol cannot serve the settings or has no client that hides anything.
Result<ClientRun> make_audited_client(std::string_view protocol, const ProtocolSettings& settings);

}  // namespace futurerand
