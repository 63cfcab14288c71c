// The two ways to get the Sums of a trial. They have the same distribution (engines_test.cpp).
#pragma once

#include <cstdint>

#include "futurerand/core/base/result.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/simulator/engines/trial.hpp"
#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

struct SimulatedSums {
  Sums sums;
  std::uint64_t clipped_users = 0;

  void merge(const SimulatedSums& other) {
    sums.merge(other.sums);
    clipped_users += other.clipped_users;
  }
};

// Every user's device makes every report; all of them join in period 1. Fails if entropy fails.
Result<SimulatedSums> run_devices(const CertifiedPlan& plan, const Population& population,
                                  const Trial& trial);

// Users' views and used noise are drawn one by one. The fair coins for zeros are drawn as one
// binomial for all users of an index. Innovation is drawn user by user (draw_innovation.hpp).
// run_rows.hpp is for labels and buckets. Requires a yes/no plan, and views of values, if any, to
// have a product law.
SimulatedSums draw_sums(const CertifiedPlan& plan, const Population& population,
                        const Trial& trial);

}  // namespace futurerand
