// PhiloxSource: counter-based randomness for simulations. Every user of every trial has streams of
// its own, found from its numbers alone. A result therefore does not depend on the order of work.
//
// It is Philox4x64-10 (Salmon, Moraes, Dror, Shaw, SC 2011). It has good statistics and no secrecy:
// never use it for real data. Thread safety: one object a thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <Random123/philox.h>

#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

struct SimulationKey {
  std::array<std::uint64_t, 2> words{};

  static SimulationKey from_seed(std::uint64_t seed) { return {{seed, 0}}; }
};

// The purpose of the randomness; streams of one user are independent.
enum class Stream : std::uint64_t {
  kPopulation,  // what the user holds
  kDevice,      // the device's draws
  kCoins,       // coins of many users at once: "user" is the view and index they are for
  kPublicSeed,  // public draws of the user
  kLife,        // when it joins and leaves
};

class PhiloxSource final : public RandomSource {
 public:
  PhiloxSource(const SimulationKey& key, Stream stream, std::uint64_t trial, std::uint64_t user)
      : key_{{key.words[0], key.words[1]}},
        counter_{{0, user, trial, static_cast<std::uint64_t>(stream)}} {}

  std::uint64_t word() {
    if (left_ == 0) refill();
    return block_.v[--left_];
  }

  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word_out : words) word_out = word();
    return true;
  }

  // Returns a uniform number in [0, 1).
  double uniform() { return static_cast<double>(word() >> 11) * 0x1p-53; }

 private:
  void refill() {
    block_ = r123::Philox4x64{}(counter_, key_);
    ++counter_.v[0];
    left_ = 4;
  }

  r123::Philox4x64::key_type key_;
  r123::Philox4x64::ctr_type counter_;
  r123::Philox4x64::ctr_type block_{};
  unsigned left_ = 0;
};

}  // namespace futurerand
