// Trial: one run of a protocol over a population, and where its randomness comes from.
//
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/simulator/populations/churn.hpp"
#include "futurerand/simulator/populations/philox.hpp"
#include "futurerand/simulator/populations/workers.hpp"

namespace futurerand {

// How reports are drawn. Both engines have the same distribution.
// A protocol with one engine runs that one.
enum class Engine {
  kUsers,  // every user's every report, from the real device
  kSums,   // sums only: the coins of many users at once
};

struct Trial {
  const SimulationKey& key;
  std::uint64_t number;
  Engine engine;
  const Workers& workers;
  // This is where the devices' own randomness comes from, one source a worker; if there is none, it
  // comes from the key.
  std::function<std::unique_ptr<RandomSource>()> entropy;
  // When devices join and leave; null: all take part throughout. Only protocols with a plan know
  // what to do with it.
  const Churn* churn = nullptr;
};

}  // namespace futurerand
