// SimulatedProtocol: the interface behind `simulate`, `compare`, `audit` and `plan`. Each protocol
// is one file and one line in rivals/protocol_registry.cpp; nothing else knows them.
//
// A protocol is made for a number of users, periods, changes and a budget. It states its guarantee
// and its loss, and runs trials.
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
  kWholeSequence,  // epsilon-local privacy of the whole sequence of values
  kWindow,    // privacy of the values in any window of some periods; a multiple over the sequence
  kPerValue,  // privacy of each value on its own; a sequence may lose more
  kTrustedCurator,  // the server sees the values
};

// Returns "private over the whole sequence", "per window only", "per value only" or "trusted
// curator".
std::string_view name_of(Guarantee guarantee);

struct ProtocolTraits {
  std::string name;
  Guarantee guarantee;
  bool online;            // answers period t from reports sent by t
  double bits_per_user;   // reports only, mean over users
  Period first_answer;    // the first period with an estimate after it
  std::string note = {};  // another remark for readers of its figures
  bool has_bands = true;  // false: it holds old answers, and states no error for a period
};

struct ProtocolSettings {
  std::uint64_t num_users;
  Period num_periods;
  std::uint32_t max_changes;
  Epsilon epsilon;
  EstimatorKind estimator = EstimatorKind::kOnline;  // for protocols with several
  ProtocolConstants constants = {};
  Initial initial = Initial::kZero;         // the value of users before period 1
  Coding coding = {};                       // what users hold
  Estimand estimand = Estimand::kEnrolled;  // with churn; active needs a plan for it
  Period inactive_after = kDefaultInactiveAfter;
  bool transcript_cap = true;  // with churn: no transcript counts beyond its limit
};

struct TrialOutcome {
  // Periods 1..num_periods; not a number: no estimate. With labels or buckets all figures of a
  // period (held_counts.hpp), one after the other.
  std::vector<PeriodEstimate> estimates;
  std::uint64_t clipped_users = 0;  // users with hidden changes past max_changes
  Alarm alarm = {};                 // whether the reports contradict each other
  // With adversaries: their shift of each period, and the maximum shift by one of them.
  std::vector<double> moved = {};
  std::vector<double> one_moves_at_most = {};
  // With the contribution cap: the largest bias of the last period by it, in devices
  // (estimator/answer.hpp).
  std::optional<double> cap_bias = {};
};

// The loss of a protocol over a whole sequence, towards the receiving server.
struct SequenceLoss {
  std::optional<double> epsilon;  // none: unbounded
  std::string meaning;            // of that number: the pair of users, a bound or exact
};

class SimulatedProtocol {
 public:
  virtual ~SimulatedProtocol() = default;

  virtual const ProtocolTraits& traits() const = 0;

  // Returns the variance of the estimate of each period, in users squared; none if there is no
  // closed form. With labels or buckets there is one for each figure (held_counts.hpp), as if all
  // were held equally often.
  virtual std::optional<std::vector<double>> predicted_variances() const = 0;

  // Returns the predictable mean error of each period, from users with more changes than the
  // protocol counts (clipping). It is apart from the variance. None without a closed form.
  virtual std::optional<std::vector<double>> expected_bias(const Population&,
                                                           const Workers&) const {
    return std::nullopt;
  }

  // Requires a population of the settings' users and periods. Everything random comes from the
  // trial, keyed by (trial, user, stream). Once cancelled, the outcome is of no use.
  virtual Result<TrialOutcome> run(const Population& population, const Trial& trial) const = 0;

  virtual SequenceLoss sequence_loss() const = 0;

  // Returns the central epsilon, at this delta, of the published estimates if the reports are
  // shuffled among this many users. Fails with a reason if the bound of core/privacy/shuffle.hpp
  // does not apply.
  virtual Result<double> published_epsilon(std::uint64_t num_users, double delta) const;

  // Returns its client as a black box, for the auditor; it may outlive the protocol. Fails if the
  // protocol has no client with anything to hide.
  virtual Result<ClientRun> client() const;
};

// This is how a protocol is known before it is made.
struct ProtocolKind {
  std::string_view name;
  // Fails if the settings are outside the protocol's range (a budget or a constant).
  Result<std::unique_ptr<SimulatedProtocol>> (*make)(std::string_view name,
                                                     const ProtocolSettings& settings);
  std::span<const ProtocolConstant> constants = {};  // never destroyed
  CodingKind serves =
      CodingKind::kYesNo;  // the kind of values; protocols with a plan ask make_plan
};

}  // namespace futurerand
