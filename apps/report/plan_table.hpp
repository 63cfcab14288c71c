// What `plan` prints for people.
#pragma once

#include <vector>

#include "apps/report/plan_rows.hpp"

namespace futurerand::apps {

void print_plan_table(const PlanCommandFlags& flags, const std::vector<PlanRow>& rows);

}  // namespace futurerand::apps
