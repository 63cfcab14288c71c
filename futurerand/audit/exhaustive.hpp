// Exhaustive audit: runs the online randomizer on every input, every noise vector and every coin of
// a small length, with exact weights, and checks the paper's three properties and the e^epsilon
// ratio between all pairs of inputs. [OWW22] section 4.2, properties I, II and III.
//
// Inputs are all of {-1,0,1}^L, including those with more than k non-zeros. For these the
// randomizer must fall back to fair coins. Otherwise a user with too many changes would lose more
// than epsilon.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/law/law.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand {

// One run after the draw: coins[j] is the symbol of input j if it is no change, and there is one
// output for each input. The default is the real SignRandomizer; tests bring broken ones.
using OnlineRun = std::function<void(const SignVector& noise, std::span<const std::int8_t> input,
                                     std::span<const Sign> coins, std::span<Sign> output)>;

void run_sign_randomizer(const SignVector& noise, std::span<const std::int8_t> input,
                         std::span<const Sign> coins, std::span<Sign> output);

struct ExhaustiveAudit {
  std::uint64_t num_inputs;
  std::uint64_t num_outputs;
  bool property_one;     // every output of every input has a probability in [p, e^epsilon p], as a
                         // multiple of its probability where nothing changes
  bool property_two;     // each of the first k non-zeros is kept with exactly the law's gap
  bool property_three;   // every other position has mean exactly 0
  bool ratio_bounded;    // P(output | input) <= e^epsilon P(output | input') for all of them
  double exact_epsilon;  // the largest found log-ratio between two inputs

  bool passed() const { return property_one && property_two && property_three && ratio_bounded; }
};

// `progress`, if any, gets the finished share. Fails on invalid integers, and if 3^L 2^L 2^k runs
// (for a sparse law 3^L 3^L 3^k) would take too long.
Result<ExhaustiveAudit> audit_exhaustively(const Law& law, std::uint32_t length, Epsilon epsilon,
                                           const OnlineRun& run = run_sign_randomizer,
                                           const std::function<void(double)>& progress = {});

}  // namespace futurerand
