// Adversaries: enrolments and reports of dishonest devices, for each kind of attack.
//
// A hidden attack aims to pass every test of the reports. Its devices draw their view and start as
// honest ones do. With `innovation` each sends plus as often as the limit of an honest transcript
// (contribution_cap.hpp) and the rate of zero symbols (silence.hpp) allow. With other plans each
// claims to be more than one device with value 1 from the first period on, up to the limit of every
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
  // Requires the influence on the honest reports at every period. The plan must outlive this
  // object.
  Adversaries(const CertifiedPlan& plan, Attack attack, const Influence& influence);

  // One adversary enrols and reports to the end. Fails if entropy fails.
  bool tell(RandomSource& source, Sums& sums, std::optional<Presence>& presence) const;

 private:
  // The symbol for an index; u is uniform for a hidden attack.
  Sign symbol(const Schedule& schedule, const Claim& claim, std::uint32_t index, double u) const;

  const CertifiedPlan* plan_;
  Attack attack_;
  Claim best_;
  Period middle_;
  double hidden_as_ = 1;                      // how many devices each says it is
  std::vector<Sign> hidden_innovation_ = {};  // by period
};

}  // namespace futurerand
