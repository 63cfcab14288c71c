// What can be said of each protocol before anything is sent: privacy, predicted error, users
// needed.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand {

struct PlanQuestion {
  std::uint64_t users = 100'000;
  Period periods = 256;
  std::uint32_t changes = 4;
  Epsilon epsilon;
  std::optional<double> target_error = {};
  double delta = 1e-6;
  EstimatorKind estimator = EstimatorKind::kOnline;
  // This is what trend is told of the count: the standard deviation of its step, as a share of the
  // users.
  double drift = 0.01;
  ProtocolConstants constants = {};
  std::optional<double> liars = {};  // the share of devices that lie

  ProtocolSettings settings() const {
    return {users, periods, changes, epsilon, EstimatorKind::kOnline, constants};
  }
};

// A field is none where a protocol does not have it.
struct PlanRow {
  std::string name;
  std::string unavailable;  // why this protocol cannot serve these parameters
  bool deployable = false;  // devices run it from a plan; others are for comparison
  std::optional<Guarantee> guarantee;
  bool online = true;
  std::optional<double> gap;
  std::optional<double> exact_epsilon;  // over the whole sequence
  bool unbounded = false;               // exact_epsilon is infinite
  std::optional<PredictedError> error;
  bool recommendable =
      true;  // pulse is only where it errs less than innovation for every population
  std::optional<double> users_needed;     // for the target error
  std::optional<double> central_epsilon;  // of the published estimates, if reports are shuffled
  std::string no_central_epsilon;         // why there is none
  // By how many devices the liars move the estimate of the last period, and of the worst, at most.
  std::optional<double> liars_move_last, liars_move_most;
  // Where devices draw views: how many of the liars may claim the one that moves the last period
  // the most before the test on shares notices, and by how much all of them move it if the others
  // draw theirs.
  std::optional<double> liars_unnoticed, liars_move_unnoticed;
  // Where transcripts have a limit: by how much the liars move the last period if no transcript
  // counted for more, by how much cutting honest ones off there would bias it at most, and how many
  // of the liars may lie beyond it in a period, if nobody honest does, before that is noticed.
  std::optional<double> liars_move_capped, cap_bias, liars_beyond_unnoticed;

  bool sequence_private() const { return guarantee == Guarantee::kWholeSequence; }
};

// One row for each protocol that can be simulated. Fails where the question is out of range, a
// constant is wrong, or the work was stopped.
Result<std::vector<PlanRow>> make_plan_rows(const PlanQuestion& question,
                                            const Progress& progress = {});

// Returns the deployable one of the least error that is private over the whole sequence; null if
// none is.
const PlanRow* recommended(const std::vector<PlanRow>& rows);

// Returns a warning if even the recommended one is too noisy to be useful
// (too_noisy.hpp), at the level of 95%; empty otherwise.
std::string plan_warning(const PlanQuestion& question, const std::vector<PlanRow>& rows);

}  // namespace futurerand
