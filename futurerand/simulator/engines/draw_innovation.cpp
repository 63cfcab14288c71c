#include "futurerand/simulator/engines/draw_innovation.hpp"

#include <algorithm>

#include "futurerand/core/randomizer/uniform.hpp"

namespace futurerand {

void draw_innovation(const CertifiedPlan& plan, const Flips& flips, RandomSource& source,
                     ViewReports& reports) {
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
  std::size_t flipped = 0;
  for (Period first = 1; first <= horizon; first += 64) {
    SignRun run{first, std::min(Period{64}, horizon - first + 1), 0, 0};
    SymbolBits symbols;
    for (std::uint32_t i = 0; i < run.count;) {
      const Period t = first + i;
      while (flipped < flips.size() && flips[flipped] <= t) ++flipped;
      std::uint32_t same = run.count - i;
      if (flipped < flips.size()) same = std::min(same, flips[flipped] - t);
      symbols.add(randomizer.randomize_run(flipped % 2 == 1, same, unit), i);
      i += same;
    }
    run.minus = symbols.minus;
    run.silent = symbols.silent;
    reports.add(run);
  }
}

}  // namespace futurerand
