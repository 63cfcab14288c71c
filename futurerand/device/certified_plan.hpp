// CertifiedPlan: a plan with every view certified in exact integers, and the samplers of its laws.
// A device can only be made from a certified plan: no certificate, no report.
//
// Thread safety: immutable after creation; any number of devices share one.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/core/randomizer/innovation_randomizer.hpp"
#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/uniform.hpp"

namespace futurerand {

class CertifiedPlan {
 public:
  // Fails on an invalid plan, and if a view may lose more than the plan's epsilon.
  static Result<CertifiedPlan> create(Plan plan);

  const Plan& plan() const { return plan_; }

  // Draws a view, by the plan's integer weights. After a failure of the source it is 0 (see
  // UniformBits).
  template <int kWordBits>
  std::uint32_t draw_view(BasicUniformBits<kWordBits>& bits) const {
    const std::uint64_t mask = std::bit_ceil(total_) - 1;
    std::uint64_t pick = 0;
    do {
      pick = bits.word() & mask;
    } while (pick >= total_);
    std::uint32_t view = 0;
    while (pick >= plan_.views[view].weight) pick -= plan_.views[view++].weight;
    return view;
  }
  // Requires view < plan().views.size().
  const LawSampler& sampler(std::uint32_t view) const { return samplers_[sampler_of_[view]]; }
  // Returns null unless this is a plan of `innovation`.
  const std::shared_ptr<const InnovationLevels>& innovation_levels() const {
    return innovation_levels_;
  }

 private:
  explicit CertifiedPlan(Plan plan) : plan_(std::move(plan)), total_(plan_.total_weight()) {}

  Plan plan_;
  std::uint64_t total_;
  std::vector<LawSampler> samplers_;       // one for each run of equal laws
  std::vector<std::uint32_t> sampler_of_;  // by view
  std::shared_ptr<const InnovationLevels> innovation_levels_;
};

}  // namespace futurerand
