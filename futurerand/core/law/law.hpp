// Law: the distribution of the noise vector b in {-1,+1}^k, drawn before any data. It consists of
// integers, shared by the sampler and the certificate. Nothing here is a float.
//
// All laws but two are symmetric: every vector with i minus signs has probability P(i). A
// WeightedThresholdLaw distinguishes its signs by level, a PulseLaw by window. [OWW22] sections 4.2
// and 5; the page of each law (*.md beside this file) has its proof. A shape (shapes/, one file
// each) is a kind of law with integers of its own and all functions below.
#pragma once

#include <cstdint>
#include <variant>

#include "futurerand/core/base/exact.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/law/shapes/annulus_law.hpp"
#include "futurerand/core/law/shapes/product_law.hpp"
#include "futurerand/core/law/shapes/pulse_law.hpp"
#include "futurerand/core/law/shapes/single_law.hpp"
#include "futurerand/core/law/shapes/sparse_law.hpp"
#include "futurerand/core/law/shapes/threshold_law.hpp"
#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"

namespace futurerand {

using Law = std::variant<ProductLaw, SingleLaw, AnnulusLaw, ThresholdLaw, SparseLaw,
                         WeightedThresholdLaw, PulseLaw>;

std::uint32_t num_signs(const Law& law);
// Tells whether a symbol of this law can be 0, neither plus nor minus.
bool may_be_zero(const Law& law);
// Returns how often a position without a change speaks, in units of 1 / SparseLaw::kUnits. It
// always does, unless the law may be silent.
std::uint32_t nonzero_units(const Law& law);

// Checks integers from an untrusted source such as a server. In range, every P(i) is positive and
// all functions below are defined. Those functions require a valid law.
Status validate(const Law& law);

// Returns P(i), the probability of one given vector with i = `minus` minus signs. Vectors of a
// SparseLaw have silent symbols as well. Requires a symmetric law, and minus + silent <= num_signs.
Fraction probability(const Law& law, std::uint32_t minus, std::uint32_t silent = 0);

// Returns the largest over the smallest of P(b) / P0(b). P0 is the law of k positions without a
// change (2^-k, except for a SparseLaw). For a WeightedThresholdLaw it is an upper bound, and the
// call fails if there is none.
Result<LossRatio> loss_ratio(const Law& law);

// Returns c = sum_i C(k,i) P(i) (k - 2i) / k, the probability of a kept sign minus that of a
// reversed one ([OWW22] property II, "c_gap"). For a WeightedThresholdLaw it returns kappa, the
// mean of a report for one unit of innovation. For a PulseLaw it returns the additional probability
// of a pulse in the window.
Fraction gap(const Law& law);

// Returns the mean square of a report if this share of the reports carries a change. It is 1 for
// fair signs. It serves predicted errors; privacy decisions must not use it.
double mean_square(const Law& law, double changed_share);

}  // namespace futurerand
