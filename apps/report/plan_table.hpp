// What `plan` prints for people.
#pragma once

#include <optional>
#include <vector>

#include "apps/report/plan_flags.hpp"
#include "futurerand/study/over_changes.hpp"

namespace futurerand::apps {

// `over` is of the users in the file of --values, if there is one.
void print_plan_table(const PlanCommandFlags& flags, const std::vector<PlanRow>& rows,
                      const std::optional<OverChanges>& over);

}  // namespace futurerand::apps
