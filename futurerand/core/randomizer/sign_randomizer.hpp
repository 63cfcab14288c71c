// SignRandomizer: the online randomizer M of the paper. The noise vector b is drawn before any
// data. Then inputs in {-1,0,+1} arrive one at a time and each leaves as one sign. [OWW22] Alg. 3.
//
//   the j-th non-zero input v leaves as v * b[j]; a zero leaves as a fair coin;
//   after k non-zeros, every further one leaves as a fair coin too: privacy before accuracy.
//
// Every input has one coin, used or not, so the coin of an index never depends on the data. A
// non-zero input does not need its coin, so the coin replaces the used entry of b. After k
// non-zeros the next ones use these coins, times v, still fair. So the vector, read from its next
// entry on, does not reveal the number of non-zero inputs. With a sparse law the coin is the symbol
// of a position without a change, mostly zero.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand {

class SignRandomizer {
 public:
  // `used` entries of noise, at most all, were used before (in a reloaded state). Requires at least
  // one entry.
  explicit SignRandomizer(SignVector noise, std::uint32_t used = 0)
      : noise_(std::move(noise)), used_(used), next_(used == noise_.size() ? 0 : used) {
    if (used_ > noise_.size()) std::abort();
  }

  // Requires input in {-1, 0, +1}, and a possible coin of the noise's law.
  Sign randomize(int input, Sign coin) { return input == 0 ? coin : next_sign(input, coin); }
  Sign randomize(int input, bool coin_is_minus) { return randomize(input, sign_of(coin_is_minus)); }

  const SignVector& noise() const { return noise_; }
  // The number of non-zero inputs, and the entry for the next one.
  std::uint32_t used() const { return used_; }
  std::uint32_t next() const { return next_; }

  // Overwrites the noise: for a copy that is to be thrown away.
  void erase() { noise_.erase(); }

 private:
  Sign next_sign(int input, Sign coin) {
    const Sign noise = noise_.at(next_);
    noise_.set(next_, coin);
    ++used_;
    if (++next_ == noise_.size()) next_ = 0;
    return input < 0 ? reversed(noise) : noise;
  }

  SignVector noise_;
  std::uint32_t used_;
  std::uint32_t next_;
};

}  // namespace futurerand
