// Estimate: Sums -> how many devices hold 1 at each period, with its standard deviation and bands.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

enum class EstimatorKind {
  kOnline,     // period t from what was due by t
  kHindsight,  // past periods improved by later reports
  kTrend,      // assumes that the count moves as a random walk whose step is fitted; says so
};

std::string_view name_of(EstimatorKind kind);
std::optional<EstimatorKind> estimator_named(std::string_view name);
// Returns one sentence: the assumption about the population behind estimates and bands.
std::string_view assumption_of(EstimatorKind kind);

struct PeriodEstimate {
  Period period = 0;
  // Not a number if the received reports do not determine it.
  double estimate = 0;
  double stddev = 0;
};

struct Band {
  double lower = 0;
  double upper = 0;
};

// Tells whether this estimator gives the online estimates. Hybrid has three estimators; innovation
// has two, its hindsight being its online estimate; others have one. Requires a valid plan.
bool is_online(const Plan& plan, EstimatorKind kind);

// Estimates periods 1..up_to (at most num_periods) from the reports due by up_to. Protocols of the
// paper's framework, snapshot and repeated have one estimator: all kinds give it. Requires sums of
// this plan.
std::vector<PeriodEstimate> estimate(const Plan& plan, const Sums& sums, EstimatorKind kind,
                                     Period up_to);

// Bands have normal tails. The band of an estimate that is not a number is not a number either. One
// period's truth is inside its band with probability `level` (0 < level < 1).
std::vector<Band> pointwise_bands(const std::vector<PeriodEstimate>& estimates, double level);
// All periods are inside at once with probability at least `level`, however the errors of different
// periods are correlated. With a horizon the level holds for all its periods. So each period's
// online band holds over the whole horizon as periods arrive, and does not widen later.
std::vector<Band> simultaneous_bands(const std::vector<PeriodEstimate>& estimates, double level,
                                     Period horizon = 0);

// [OWW22] Lemma 4.6 and the main theorem. With probability 1 - beta no period of the plain dyadic
// sum over n users errs by more than (1 + log d) / c * sqrt(2 n ln(2 d / beta)). Requires a plan of
// the paper's framework.
double paper_error_bound(const Plan& plan, double num_users, double beta);

}  // namespace futurerand
