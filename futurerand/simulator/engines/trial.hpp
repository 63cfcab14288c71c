// Trial: one run of a protocol over a population, and the source of its randomness.
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

// The way of drawing reports. Both engines have the same distribution. A protocol with one engine
// always uses it.
enum class Engine {
  kUsers,  // every user's every report, from the real device
  kSums,   // sums only: the coins of many users at once
};

struct Trial {
  const SimulationKey& key;
  std::uint64_t number;
  Engine engine;
  const Workers& workers;
  // The source of the devices' own randomness, one for each worker. If there is none, it comes from
  // the key.
  std::function<std::unique_ptr<RandomSource>()> entropy;
  // Times of joining and leaving; null: all take part throughout. Only protocols with a plan
  // support it.
  const Churn* churn = nullptr;
};

}  // namespace futurerand
