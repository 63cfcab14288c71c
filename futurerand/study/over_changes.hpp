// Users with more changes than planned: their number, and the bias of the count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futurerand/simulator/populations/values_file.hpp"
#include "futurerand/study/plan_rows.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand {

// Over the periods, in users of the file: the mean bias, and the largest one with its sign.
struct BiasOf {
  std::string protocol;
  double mean = 0;
  double largest = 0;
  Period period = 0;  // of the largest
};

struct OverChanges {
  std::uint64_t users = 0;
  std::uint64_t over = 0;
  std::vector<BiasOf> bias = {};  // of the biased protocols, by simulator/clipping.hpp
};

BiasOf summarize_bias(std::string protocol, const std::vector<double>& bias);

OverChanges count_over_changes(const std::vector<UserValues>& panel, std::uint32_t max_changes,
                               Initial initial);

// The same, and the bias of every protocol with a plan. Fails once stopped.
Result<OverChanges> find_over_changes(const std::vector<UserValues>& panel,
                                      const PlanQuestion& question, const Progress& progress);

}  // namespace futurerand
