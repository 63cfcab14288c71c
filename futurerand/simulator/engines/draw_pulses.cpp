#include "futurerand/simulator/engines/draw_pulses.hpp"

#include <algorithm>

#include "futurerand/core/randomizer/pulse_randomizer.hpp"

namespace futurerand {

void draw_pulses(const CertifiedPlan& plan, std::uint32_t view, const Flips& flips,
                 RandomSource& source, ViewReports& reports) {
  const auto& law = std::get<PulseLaw>(plan.plan().views[view].law);
  PulseRandomizer randomizer(*plan.sampler(view).draw(source), law.window, 0, 0);
  const Period horizon = plan.plan().num_periods;
  const Period entry = flips.empty() ? horizon + 1 : flips.front();
  for (Period first = 1; first <= horizon; first += 64) {
    SignRun run{first, std::min(Period{64}, horizon - first + 1), 0, 0};
    // Only the first change counts.
    const std::uint32_t before = entry > first ? std::min(run.count, entry - first) : 0;
    if (before > 0) run.minus = randomizer.randomize_run(false, before);
    if (before < run.count) {
      run.minus |= randomizer.randomize_run(true, run.count - before) << before;
    }
    reports.add(run);
  }
}

}  // namespace futurerand
