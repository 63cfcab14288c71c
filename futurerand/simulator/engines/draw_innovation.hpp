// One user's innovation without a device, for the sums engine. The reports of one device depend on
// each other (one threshold for all of its noise), so they cannot be drawn for many users at once.
// But most of them are pure noise: units are drawn only if they matter.
#pragma once

#include <algorithm>

#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/device/value_from.hpp"

namespace futurerand {

// Joins in period 1. `changes` is a range of ValueFrom, yes/no, by rising periods; 0 is held before
// the first. emit(run) gets every sign, in order. Requires a plan of `innovation`, and a source
// without failures.
template <typename Changes, typename Emit>
void draw_innovation(const CertifiedPlan& plan, const Changes& changes, RandomSource& source,
                     Emit&& emit) {
  const auto& levels = plan.innovation_levels();
  InnovationRandomizer randomizer(levels, *plan.sampler(0).draw(source),
                                  InnovationMemory(*levels, 0));
  UniformBits bits(source);
  std::uint64_t word = 0;
  bool half_is_left = false;
  const auto unit = [&](std::uint32_t) {
    half_is_left = !half_is_left;
    if (half_is_left) word = bits.word();
    return static_cast<std::uint32_t>(half_is_left ? word : word >> 32);
  };

  const Period horizon = plan.plan().num_periods;
  auto next = changes.begin();
  std::uint32_t value = 0;
  for (Period first = 1; first <= horizon; first += 64) {
    SignRun run{first, std::min(Period{64}, horizon - first + 1), 0, 0};
    SymbolBits symbols;
    for (std::uint32_t i = 0; i < run.count;) {
      const Period t = first + i;
      for (; next != changes.end() && (*next).period <= t; ++next) value = (*next).value;
      std::uint32_t same = run.count - i;
      if (next != changes.end()) same = std::min(same, (*next).period - t);
      symbols.add(randomizer.randomize_run(value, same, unit), i);
      i += same;
    }
    run.minus = symbols.minus;
    run.silent = symbols.silent;
    emit(run);
  }
}

}  // namespace futurerand
