// The table of options of plan, simulate, compare, audit, randomize and estimate. Each option
// stands here once, with its name, range, default, help and member. The default is the one of the
// member. A new option is a row here, a member and its use in the code.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>

#include "futurerand/study/audit.hpp"
#include "futurerand/study/metric_parameters.hpp"
#include "futurerand/study/option.hpp"
#include "futurerand/study/plan_rows.hpp"
#include "futurerand/study/randomize.hpp"
#include "futurerand/study/report_fold.hpp"
#include "futurerand/study/simulation_question.hpp"

namespace futurerand {

Option population_option(std::string& population);
Options metric_options(MetricParameters& metric);
Options protocol_options(ProtocolParameters& metric);  // for protocols with a plan for devices
Options plan_options(PlanQuestion& question);
Options simulate_options(SimulationQuestion& question);
Options compare_options(SimulationQuestion& question);
Options audit_options(AuditQuestion& question);
Options randomize_options(RandomizeQuestion& question);
Options estimate_options(EstimateQuestion& question);

// Sets one option by its name. An error starts with the name.
Status set_option(const Options& options, std::string_view name, std::string_view text);

}  // namespace futurerand
