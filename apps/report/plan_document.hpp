// What `plan --format json` prints, for whoever else shows it.
#pragma once

#include <string>

#include "apps/report/plan_rows.hpp"

namespace futurerand::apps {

std::string plan_document(const PlanCommandFlags& flags, const std::vector<PlanRow>& rows);

}  // namespace futurerand::apps
