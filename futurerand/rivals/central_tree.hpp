// central_tree: what a trusted curator could do, the price of locality.
//
// Model: central, online. Everyone sends the true value every period; the curator counts the first
//   k changes of each user and hides the counts behind Laplace noise at every dyadic node.
// Guarantee: trusted curator. What is published is epsilon-private for whole sequences: two users'
//   changes differ by at most 2 min(k, L_h) at order h, so noise of scale Delta / epsilon with
//   Delta = 2 sum_h min(k, L_h) hides them. Towards the curator there is no privacy at all.
// Estimator: node and sum of its halves combined by inverse variance, from below; variances do not
//   grow with n. Users with more changes than k bias it: expected_bias says by how much.
// Source: the binary mechanism of Chan, Shi, Song (2011) and Dwork, Naor, Pitassi, Rothblum (2010),
//   named in [OWW22] section 6, with this project's sensitivity for k changes.
// The noise is made of floats: for comparison only, never for real data.
#pragma once

#include <memory>
#include <string_view>

#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand {

Result<std::unique_ptr<SimulatedProtocol>> make_central_tree(std::string_view name,
                                                             const ProtocolSettings& settings);

}  // namespace futurerand
