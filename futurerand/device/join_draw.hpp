// JoinDraw: everything drawn by a device when it joins, before any data.
#pragma once

#include <cstdint>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/device/certified_plan.hpp"

namespace futurerand {

struct JoinDraw {
  std::uint32_t view;
  std::uint32_t snapshot_index;  // 0 for other views
  std::uint32_t phase;           // for numbers; 0 for yes/no
  SignVector noise;

  // Fails only if the source fails. Tests draw with fewer bits a word (uniform.hpp).
  template <int kWordBits = 64>
  static Result<JoinDraw> draw(const CertifiedPlan& plan, RandomSource& draws) {
    BasicUniformBits<kWordBits> bits(draws);
    const std::uint32_t view = plan.draw_view(bits);
    const Schedule schedule(plan.plan().views[view], plan.plan().num_periods);
    const std::uint32_t index = schedule.draws_start() ? bits.below(schedule.stride) + 1 : 0;
    const auto& levels = plan.innovation_levels();
    const std::uint32_t phase =
        levels && levels->full_scale > 1 ? bits.below(levels->full_scale) : 0;
    if (bits.failed()) {
      return Error{"the random source failed; the device did not join", ErrorCode::kNoEntropy};
    }
    Result<SignVector> noise = plan.sampler(view).template draw<kWordBits>(draws);
    if (!noise) return noise.error();
    return JoinDraw{view, index, phase, *std::move(noise)};
  }
};

}  // namespace futurerand
