// From folded reports to estimates with bands, and what must be said beside them.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "futurerand/core/base/result.hpp"
#include "futurerand/estimator/estimand.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/self_check.hpp"
#include "futurerand/study/report_fold.hpp"

namespace futurerand {

struct EstimateQuestion {
  EstimatorKind estimator = EstimatorKind::kOnline;
  double level = 0.95;
  // Whether a band holds the whole curve at once, or each period's count on its own.
  bool simultaneous = false;
  std::optional<Estimand> estimand = {};  // none: active, where the plan shows who is
  Period gone_after = kDefaultGoneAfter;
};

// Not a number where the reports do not determine it.
struct EstimatedPeriod {
  PeriodEstimate at;
  Band band;
  std::uint64_t reports = 0;   // due at the end of this period and in the file
  std::uint64_t expected = 0;  // due at the end of this period
};

struct Estimates {
  std::vector<EstimatedPeriod> rows;  // periods 1..num_periods
  Estimand estimand;
  std::string warning = {};  // if the estimate is too noisy to be useful
  Alarm alarm = {};          // whether the reports contradict each other
  // Where transcripts are cut off at their limits, by how many devices the newest period is wrong
  // at most for it (stated_cap.hpp).
  std::optional<double> cap_bias = {};
};

// Fails where the question is out of range, or asks for what the plan does not show.
Result<Estimates> make_estimates(const FoldedReports& folded, const EstimateQuestion& question);

nlohmann::ordered_json to_json(const FoldedReports& folded, const EstimateQuestion& question,
                               const Estimates& estimates);

}  // namespace futurerand
