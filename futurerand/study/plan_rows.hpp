// The rows of `plan`: privacy, predicted error and needed users of each protocol, before anything
// is sent.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/estimator/estimand.hpp"
#include "futurerand/study/metric_parameters.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand {

struct PlanQuestion : MetricParameters {
  std::uint64_t users = 100'000;
  std::optional<double> target_error = {};
  double delta = 1e-6;
  EstimatorKind estimator = EstimatorKind::kOnline;
  // The assumption of trend: the standard deviation of the count's step, as a share of the users.
  double drift = 0.01;
  ProtocolConstants constants = {};
  std::optional<double> liars = {};  // the share of dishonest devices
  // Requests a metric without an end. Seasons are chosen to cost epsilon in any `window` periods in
  // a row. season_plan.hpp answers.
  std::optional<Period> window = {};
  Period life = 1095;         // of a device, in periods
  double change_every = 180;  // mean number of periods between changes of a device
  Period resolution = 1;      // figures are read as means over this number of periods
  // The shares of the devices in each segment; empty: equal parts.
  std::vector<double> segment_shares = {};
  // With kActive a protocol for active devices is preferred, as for a new metric
  // (core/plan/recommendation.hpp).
  Estimand estimand = Estimand::kActive;
};

// A field is none if a protocol does not have it.
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
      true;  // pulse only if its error is below that of innovation for every population
  std::optional<double> users_needed;     // for the target error
  std::optional<double> central_epsilon;  // of the published estimates, if reports are shuffled
  std::string no_central_epsilon;         // why there is none
  // The largest shift by the adversaries, in devices: of the last period, and of the worst one.
  std::optional<double> liars_move_last, liars_move_most;
  // For plans with several views. The number of adversaries able to claim the view with the most
  // influence on the last period before the test on shares notices. And the shift by all
  // adversaries if the others draw their view.
  std::optional<double> liars_unnoticed, liars_move_unnoticed;
  // For plans with a contribution cap. The shift of the last period by the adversaries with the
  // cap. The largest bias from clipping honest devices. And the number of adversaries able to
  // exceed the cap in a period unnoticed, if no honest device does.
  std::optional<double> liars_move_capped, cap_bias, liars_beyond_unnoticed;

  bool sequence_private() const { return guarantee == Guarantee::kWholeSequence; }
};

// One row for each simulated protocol. Fails on a wrong constant, and once stopped.
Result<std::vector<PlanRow>> make_plan_rows(const PlanQuestion& question,
                                            const Progress& progress = {});

// Returns the name of the protocol to deploy: the one of a new metric with the same parameters.
// Every command uses it unless one is named. For all enrolled devices it is the one with the least
// error of the estimator. Fails if no protocol serves.
Result<std::string> recommended_protocol(const PlanQuestion& question);

// Its row. Null if no protocol serves. Requires the rows of the question.
const PlanRow* recommended(const PlanQuestion& question, const std::vector<PlanRow>& rows);

// Returns the deployable row with the least error that is private over the whole sequence; null if
// there is none.
const PlanRow* most_accurate(const std::vector<PlanRow>& rows);

// The requested protocol, or the recommended one. chosen_plan fails for a protocol without a plan
// for devices.
Result<std::string> chosen_protocol(const ProtocolParameters& asked);
Result<Plan> chosen_plan(const ProtocolParameters& asked);

// Returns a warning if even the recommended one is too noisy to be useful
// (too_noisy.hpp), at the level of 95%; empty otherwise.
std::string plan_warning(const PlanQuestion& question, const std::vector<PlanRow>& rows);

}  // namespace futurerand
