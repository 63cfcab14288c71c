// Clipping: how far an estimate is from the truth, on average, because people change more often
// than a plan counts. Later reports are noise. Views of changes hide every change beyond the signs
// of their law. Innovation fades once its signs run out.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/simulator/populations/population.hpp"
#include "futurerand/simulator/populations/workers.hpp"

namespace futurerand {

// The expected error of each period, in users, for a population without churn: the estimator's
// answer to mean reports, less the truth. None if nobody is clipped. The noise is averaged out
// exactly, by its gaps. The used signs of an `innovation` device also depend on its deciding bits:
// they are drawn kPaths times for each user with too many changes. Requires a valid plan of the
// population's periods. Once cancelled, the answer is of no use.
std::optional<std::vector<double>> clipping_bias(const Plan& plan, const Population& population,
                                                 EstimatorKind estimator, const Workers& workers);

inline constexpr std::uint32_t kPaths = 8;

}  // namespace futurerand
