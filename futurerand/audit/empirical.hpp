// Empirical audit: runs a client as a black box on pairs of value sequences, and looks for an event
// with very different probabilities for the two. If P(event | x) and P(event | x') are known to be
// far apart, the client loses at least ln of their ratio, independently of its authors' claims.
//
// Half of the samples choose the pair and the event (a quarter ranks transcripts, a quarter scores
// sets of them). The other half is untouched until then. It judges that one event with
// Clopper-Pearson bounds. So the choice needs no correction.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/simulator/client_transcript.hpp"

namespace futurerand {

struct EmpiricalSettings {
  SimulationKey key;
  std::uint64_t samples = 200'000;  // of each sequence of a pair
  double confidence = 0.9999;       // of the lower bound
  unsigned threads = 1;
  const std::atomic<bool>* cancel = nullptr;  // raised: the audit fails with "interrupted"
  std::function<void(double)> progress;       // hears the share done
};

struct EmpiricalAudit {
  double epsilon_at_least;  // with the confidence asked for, the client loses this much or more
  std::size_t num_pairs;
  // The chosen pair and event, and their judgement by the other half of the samples.
  Flips likely;
  Flips unlikely;
  std::uint32_t positions;    // transcript bits in the event
  std::uint64_t judged;       // samples of each sequence
  std::uint64_t seen_likely;  // of them, those in the event
  std::uint64_t seen_unlikely;
};

// Returns pairs of sequences worth trying: never, once, as often as allowed and more often, shifted
// by one period, and some at random. There is at least one for every horizon.
std::vector<std::pair<Flips, Flips>> audited_pairs(Period num_periods, std::uint32_t max_changes,
                                                   const SimulationKey& key);

// Requires samples >= 8 and a confidence in (0, 1). Fails if the client fails.
Result<EmpiricalAudit> audit_empirically(const ClientRun& client,
                                         const std::vector<std::pair<Flips, Flips>>& pairs,
                                         const EmpiricalSettings& settings);

}  // namespace futurerand
