// What `plan --format json` prints, for whoever else shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/flags.hpp"

namespace futurerand::apps {

// Throws Failure on a bad epsilon. Requires periods and changes in range.
std::string plan_document(const PlanFlags& flags, std::uint64_t users,
                          std::optional<double> target_error);

}  // namespace futurerand::apps
