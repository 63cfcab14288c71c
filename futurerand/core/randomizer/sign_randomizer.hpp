// SignRandomizer: the online randomizer M of the paper. The noise vector b is drawn before any
// data; then inputs in {-1,0,+1} arrive one at a time and each leaves as one sign. [OWW22] Alg. 3.
//
//   the j-th non-zero input v leaves as v * b[j]; a zero leaves as a fair coin;
//   after k non-zeros, every further one leaves as a fair coin too: privacy before accuracy.
//
// One coin is handed in for every input, used or not, so that which coin serves which index never
// depends on the data. Entries of b are erased once used.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
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
  Sign randomize(int input, bool coin_is_minus) {
    return sign_of(input == 0 || used_ == noise_.size() ? coin_is_minus : next_is_minus(input));
  }

  // The same for a whole run: 64 coins a word in, 64 signs a word out (a set bit is a minus).
  // Requires coins and minus to hold ceil(inputs.size() / 64) words; they may be the same words.
  void randomize(std::span<const std::int8_t> inputs, std::span<const std::uint64_t> coins,
                 std::span<std::uint64_t> minus);

  const SignVector& noise() const { return noise_; }
  std::uint32_t used() const { return used_; }

 private:
  bool next_is_minus(int input) {
    const std::uint32_t j = used_++;
    const bool minus = noise_.is_minus(j) != (input < 0);
    noise_.set_minus(j, false);
    return minus;
  }

  SignVector noise_;
  std::uint32_t used_;
};

}  // namespace futurerand
