// SignRandomizer: the online randomizer M of the paper. The noise vector b is drawn before any
// data; then inputs in {-1,0,+1} arrive one at a time and each leaves as one sign. [OWW22] Alg. 3.
//
//   the j-th non-zero input v leaves as v * b[j]; a zero leaves as a fair coin;
//   after k non-zeros, every further one leaves as a fair coin too: privacy before accuracy.
//
// One coin is handed in for every input, used or not, so that which coin serves which index never
// depends on the data. Entries of b are erased once used. With a quiet law the coin is the symbol
// of a position without a change, which is mostly silent.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand {

class SignRandomizer {
 public:
  // `used` entries of noise, at most all, have served before (a state that was loaded again).
  explicit SignRandomizer(SignVector noise, std::uint32_t used = 0)
      : noise_(std::move(noise)), used_(used) {
    if (used_ > noise_.size()) std::abort();
  }

  // Requires input in {-1, 0, +1}.
  Sign randomize(int input, Sign coin) {
    return input == 0 || used_ == noise_.size() ? coin : next_sign(input);
  }
  Sign randomize(int input, bool coin_is_minus) { return randomize(input, sign_of(coin_is_minus)); }

  const SignVector& noise() const { return noise_; }
  std::uint32_t used() const { return used_; }

 private:
  Sign next_sign(int input) {
    const std::uint32_t j = used_++;
    const Sign noise = noise_.at(j);
    noise_.set(j, Sign::kPlus);
    return input < 0 ? reversed(noise) : noise;
  }

  SignVector noise_;
  std::uint32_t used_;
};

}  // namespace futurerand
