// SimulatedProtocol: what the simulator runs and compares, and what `audit` and `plan` ask. Each is
// one file and one line in rivals/protocol_registry.cpp; nothing else knows them.
//
// A protocol is made for a number of users, periods, changes and a budget; it says what it promises
// to whom and what it loses, and runs trials.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/coding/coding.hpp"
#include "futurerand/core/plan/initial.hpp"
#include "futurerand/estimator/estimand.hpp"
#include "futurerand/estimator/robustness/self_check.hpp"
#include "futurerand/simulator/client_transcript.hpp"
#include "futurerand/simulator/engines/trial.hpp"
#include "futurerand/simulator/populations/philox.hpp"
#include "futurerand/simulator/populations/population.hpp"
#include "futurerand/simulator/populations/workers.hpp"
#include "futurerand/simulator/protocol_constants.hpp"

namespace futurerand {

enum class Guarantee {
  kWholeSequence,   // epsilon-local privacy of all that a user ever holds
  kWindow,          // of what a user holds in any window of some periods; over all, a multiple
  kPerValue,        // of each value on its own: what is sent over time may lose more
  kTrustedCurator,  // the server sees the values
};

// Returns "private over the whole sequence", "per window only", "per value only" or "trusted
// curator".
std::string_view name_of(Guarantee guarantee);

struct ProtocolTraits {
  std::string name;
  Guarantee guarantee;
  bool online;            // answers period t from what was sent by t
  double bits_per_user;   // reports only, mean over users
  Period first_answer;    // the first period after which there is an estimate
  std::string note = {};  // what else a reader of its figures must know
  bool has_bands = true;  // false: it holds old answers, and states no error for a period
};

struct ProtocolSettings {
  std::uint64_t num_users;
  Period num_periods;
  std::uint32_t max_changes;
  Epsilon epsilon;
  EstimatorKind estimator = EstimatorKind::kOnline;  // for protocols that have several
  ProtocolConstants constants = {};
  Initial initial = Initial::kZero;         // what is known of users before period 1
  Coding coding = {};                       // what users hold
  Estimand estimand = Estimand::kEnrolled;  // with churn; active needs a plan that shows it
  Period inactive_after = kDefaultInactiveAfter;
  bool transcript_cap = true;  // with churn: no transcript counts beyond its limit
};

struct TrialOutcome {
  // Periods 1..num_periods; not a number: no estimate. With labels or buckets all figures of a
  // period (held_counts.hpp), one after the other.
  std::vector<PeriodEstimate> estimates;
  std::uint64_t clipped_users = 0;  // whose device hid changes past max_changes
  Alarm alarm = {};                 // whether the reports contradict each other
  // Where some devices lie, by how much they moved each period, and by how much one can at most.
  std::vector<double> moved = {};
  std::vector<double> one_moves_at_most = {};
  // Where transcripts are cut off at their limits, by how many devices the last period is wrong at
  // most for it (estimator/answer.hpp).
  std::optional<double> cap_bias = {};
};

// This is what a protocol loses over a whole sequence, towards the server that receives it.
struct SequenceLoss {
  std::optional<double> epsilon;  // none: unbounded
  std::string meaning;            // of that number: which pair of users, a bound or exact
};

class SimulatedProtocol {
 public:
  virtual ~SimulatedProtocol() = default;

  virtual const ProtocolTraits& traits() const = 0;

  // Returns the variance of the estimate of each period, in users squared; none if there is no
  // closed form. With labels or buckets there is one for each figure (held_counts.hpp), as if all
  // were held equally often.
  virtual std::optional<std::vector<double>> predicted_variances() const = 0;

  // Returns the mean error of each period that is known beforehand, because users change more often
  // than the protocol counts (clipping); it is apart from the variance. None means that there is no
  // closed form.
  virtual std::optional<std::vector<double>> expected_bias(const Population&,
                                                           const Workers&) const {
    return std::nullopt;
  }

  // Requires a population of the settings' users and periods. Everything random comes from the
  // trial, keyed by (trial, user, stream). Once cancelled, the outcome is of no use.
  virtual Result<TrialOutcome> run(const Population& population, const Trial& trial) const = 0;

  virtual SequenceLoss sequence_loss() const = 0;

  // Returns the central epsilon, at this delta, of the estimates that are published if the reports
  // are shuffled among this many users. Fails, saying why, where the bound of
  // core/privacy/shuffle.hpp has nothing to say.
  virtual Result<double> published_epsilon(std::uint64_t num_users, double delta) const;

  // Returns its client as a black box, for the auditor; it may outlive the protocol. Fails if the
  // protocol has no client that hides anything.
  virtual Result<ClientRun> client() const;
};

// This is how a protocol is known before it is made.
struct ProtocolKind {
  std::string_view name;
  // Fails where the protocol cannot serve the settings (a budget or a constant out of its range).
  Result<std::unique_ptr<SimulatedProtocol>> (*make)(std::string_view name,
                                                     const ProtocolSettings& settings);
  std::span<const ProtocolConstant> constants = {};  // never destroyed
  CodingKind serves =
      CodingKind::kYesNo;  // the kind of values; protocols with a plan ask make_plan
};

}  // namespace futurerand
