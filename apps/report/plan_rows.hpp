// What `plan` says of each protocol, before it is printed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/flags.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::apps {

struct PlanCommandFlags {
  PlanFlags plan;
  std::uint64_t users = 100'000;
  std::optional<double> target_error;
  Format format = Format::kText;
  double delta = 1e-6;
  EstimatorKind estimator = EstimatorKind::kOnline;
  // This is what trend is told of the count: the standard deviation of its step, as a share of the
  // users.
  double drift = 0.01;
  ProtocolConstants constants = {};
  std::optional<double> liars = {};  // the share of devices that lie
  std::string values = {};           // a file of users; empty: none
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
  std::optional<double> users_needed;     // for the target error
  std::optional<double> central_epsilon;  // of the published estimates, if reports are shuffled
  std::string no_central_epsilon;         // why there is none
  // By how many devices the liars move the estimate of the last period, and of the worst, at most.
  std::optional<double> liars_move_last, liars_move_most;

  bool sequence_private() const { return guarantee == Guarantee::kWholeSequence; }
};

// `progress`, if any, hears the share done.
std::vector<PlanRow> make_rows(const PlanCommandFlags& flags,
                               const std::function<void(double)>& progress = {});

// Returns the deployable one of the least error that is private over the whole sequence; null if
// none is.
const PlanRow* recommended(const std::vector<PlanRow>& rows);

// Returns a warning if even the recommended one has an error that drowns the answer (drowned.hpp),
// at the level of 95%; empty otherwise.
std::string plan_warning(const PlanCommandFlags& flags, const std::vector<PlanRow>& rows);

}  // namespace futurerand::apps
