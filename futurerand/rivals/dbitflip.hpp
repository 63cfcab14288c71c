// dBitFlip with memoization (dBitFlipPM) for a yes/no state.
//
// Model: local, online. Two buckets, one for each value, and a bit for both. For each value that it
//   may hold a user memoizes, once, two bits: that of the value's own bucket is 1 with probability
//   e^(epsilon/2) / (e^(epsilon/2) + 1), the other with 1 / (e^(epsilon/2) + 1). In every period it
//   sends the two bits of the value that it holds.
// Guarantee: per value only (epsilon). Whenever the bits change, so did the value: between a user
//   who never changes and one who does the loss over the sequence is unbounded from period 2 on.
// Estimator: of the bits of the bucket of 1, (ones (e^(epsilon/2) + 1) - n) / (e^(epsilon/2) - 1),
//   of variance n e^(epsilon/2) / (e^(epsilon/2) - 1)^2; errors of all periods go together.
// Source: Ding, Kulkarni, Yekhanin, NIPS 2017, section 3, with k = d = 2. Named in [OWW22] sec. 6.
#pragma once

#include <memory>
#include <string_view>

#include "futurerand/simulator/simulated_protocol.hpp"
#include "futurerand/simulator/transcript.hpp"

namespace futurerand {

Result<std::unique_ptr<SimulatedProtocol>> make_dbitflip(std::string_view name,
                                                         const ProtocolSettings& settings);
Result<ClientRun> make_dbitflip_client(const ProtocolSettings& settings);

// The exact privacy loss over the whole sequence between a user who never changes and one who
// changes once; infinite unless there is but one period.
double dbitflip_loss(const ProtocolSettings& settings);

}  // namespace futurerand
