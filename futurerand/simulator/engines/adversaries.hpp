// Adversaries: what devices that lie enrol with and send, for each kind of attack.
//
// A hidden attack is one that no test of the reports is to see. Its devices draw their view and
// start as honest ones do. With `innovation` each sends plus as often as the limit of an honest
// transcript (contribution_cap.hpp) and the rarity of speech (silence.hpp) allow. With other plans
// they claim that more than one device holds 1 from the first period on, up to the limit of every
// kind of report. Then snapshots and changes agree. Each symbol has the mean of this claim, and
// every other symbol is honest noise.
//
// Thread safety: const calls may run at once.
#pragma once

#include <optional>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/robustness/influence.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/simulator/populations/churn.hpp"

namespace futurerand {

class Adversaries {
 public:
  // Requires the influence on the honest reports at every period, and a plan that outlives it.
  Adversaries(const CertifiedPlan& plan, Attack attack, const Influence& influence);

  // One liar enrols and reports to the end. Fails where entropy does.
  bool tell(RandomSource& source, Sums& sums, std::optional<Presence>& presence) const;

 private:
  // What is sent for an index; u is uniform where the attack is hidden.
  Sign symbol(const Schedule& schedule, const Claim& claim, std::uint32_t index, double u) const;

  const CertifiedPlan* plan_;
  Attack attack_;
  Claim best_;
  Period middle_;
  double hidden_as_ = 1;                      // how many devices each says it is
  std::vector<Sign> hidden_innovation_ = {};  // by period
};

}  // namespace futurerand
