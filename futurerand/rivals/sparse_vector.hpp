// sparse_vector: a user's sparse vector of changes, folded into one number by random signs.
//
// Model: local, OFFLINE: a user sends one bit, after the last period; no answer before.
//   It draws an order uniformly and, from a public seed, a sign s(j) for every interval of the
//   order; T = sum of s(j) times the change over interval j, clipped to -eta..eta; the bit is +
//   with probability 1/2 + (T / eta) tanh(epsilon / 2) / 2, and stands for y = +-eta / tanh(epsilon
//   / 2).
// Guarantee: private over the whole sequence: a bit whose odds differ by e^epsilon at most.
// Estimator: of interval j, (1 + H) times the sum of s(j) y over the users of its order; plain
//   dyadic sum. Variance popcount(t) (1 + H) n eta^2 / tanh^2(epsilon / 2), less at most n.
//   A user whose |T| may pass eta is biased towards no change: expected_bias says by how much.
// Constants: eta = min(k, sqrt(2 k ln(4 n))) unless given.
// Source: Zhou, Wang, Chan, Fanti, Shi, "Locally differentially private sparse vector aggregation"
//   (2021), as this project's protocols page describes it. Named in [OWW22] section 6.
#pragma once

#include <memory>
#include <string_view>

#include "futurerand/simulator/simulated_protocol.hpp"
#include "futurerand/simulator/transcript.hpp"

namespace futurerand {

Result<std::unique_ptr<SimulatedProtocol>> make_sparse_vector(std::string_view name,
                                                              const ProtocolSettings& settings);
// The header of a transcript is the order; then y and s(j) y for every interval j, which tell as
// much as the seed and the bit.
Result<ClientRun> make_sparse_vector_client(const ProtocolSettings& settings);

// The exact loss over the whole sequence: epsilon, unless no user's T can reach eta.
// Settings must be ones that make_sparse_vector accepts.
double sparse_vector_loss(const ProtocolSettings& settings);

// E[clip(T) T] / m for a sum T of m fair signs: the share of a change that is left on average.
// Requires m >= 1.
double share_after_clipping(std::uint32_t m, double clip);

}  // namespace futurerand
