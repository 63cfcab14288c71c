// How many users of a file change more often than a plan counts.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/report/plan_rows.hpp"

namespace futurerand::apps {

struct OverChanges {
  std::uint64_t users = 0;
  std::uint64_t over = 0;
};

// Returns none if no file was given, or it has no users. Ends with bad_input if it cannot be read.
std::optional<OverChanges> over_changes(const PlanCommandFlags& flags);

}  // namespace futurerand::apps
