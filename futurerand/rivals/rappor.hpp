// RAPPOR for a yes/no state: permanent randomized response, then instantaneous.
//
// Model: local, online. For each value a user memoizes a permanent bit: the value itself with
//   probability 1 - f, else a fair coin. In every period it sends a fresh bit: 1 with probability q
//   if the permanent bit of its value is 1, p if it is 0.
// Guarantee: per value only. One value that never changes is protected with ln((1-f/2)/(f/2)) =
//   epsilon, so f = 2/(e^epsilon + 1). Over a sequence that changes the permanent bits show through
//   the more, the longer it lasts: rappor_loss says how much.
// Estimator: (ones - p* n) / (q* - p*), where a holder of 1 (of 0) sends a 1 with probability q*
//   (p*). Its variance is stated for a half that holds 1.
// Source: Erlingsson, Pihur, Korolova, CCS 2014, basic one-time RAPPOR of one bit; p = 0.5 and
//   q = 0.75 are its authors'. Named in [OWW22] section 6.
#pragma once

#include <memory>
#include <string_view>

#include "futurerand/simulator/simulated_protocol.hpp"
#include "futurerand/simulator/transcript.hpp"

namespace futurerand {

Result<std::unique_ptr<SimulatedProtocol>> make_rappor(std::string_view name,
                                                       const ProtocolSettings& settings);
Result<ClientRun> make_rappor_client(const ProtocolSettings& settings);

// The exact privacy loss over the whole sequence between a user who never changes and one who
// changes once, in the worst period for that: the largest |ln P(sent | one) / P(sent | other)|.
// Settings must be ones that make_rappor accepts.
double rappor_loss(const ProtocolSettings& settings);

}  // namespace futurerand
