// How many users change more often than a plan counts.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/simulator/values_file.hpp"

namespace futurerand {

struct OverChanges {
  std::uint64_t users = 0;
  std::uint64_t over = 0;
};

OverChanges count_over_changes(const std::vector<UserValues>& panel, std::uint32_t max_changes);

}  // namespace futurerand
