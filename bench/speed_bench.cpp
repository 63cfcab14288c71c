// One device after another, future_rand over 1024 periods with 4 changes: reports per second.
#include <benchmark/benchmark.h>

#include "futurerand/device/device.hpp"
#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {
namespace {

constexpr Period kPeriods = 1024;
constexpr std::uint32_t kChanges = 4;

CertifiedPlan make_certified() {
  return *CertifiedPlan::create(
      *make_plan(Protocol::kFutureRand, kPeriods, kChanges, *Epsilon::parse("1")));
}

// `live` runs one device over its periods and is true if its coins came.
template <typename Live>
void one_by_one(benchmark::State& state, const Live& live) {
  const CertifiedPlan plan = make_certified();
  const SimulationKey key = SimulationKey::from_seed(1);
  const Population population =
      *Population::named("uniform", {std::uint64_t{1} << 40, kPeriods, kChanges}, key);
  Flips flips;
  std::uint64_t user = 0;
  std::int64_t reports = 0;
  std::uint64_t signs = 0;
  const auto take = [&](const SignRun& run) {
    reports += run.count;
    signs ^= run.minus;
  };
  for (auto _ : state) {
    PhiloxSource source(key, Stream::kDevice, 0, user);
    population.draw(user++, flips);
    Device device = *Device::join(plan, 1, source);
    const auto observe = [&](Period t, bool value) {
      return device.observe(t, value, source, take);
    };
    if (!live(flips, observe)) state.SkipWithError("the source failed");
  }
  benchmark::DoNotOptimize(signs);
  state.SetItemsProcessed(reports);
}

// This runs as on a device that is asked once a period.
void every_period(benchmark::State& state) {
  one_by_one(state, [](const Flips& flips, const auto& observe) {
    bool fine = true;
    bool value = false;
    auto next = flips.begin();
    for (Period t = 1; t <= kPeriods; ++t) {
      if (next != flips.end() && *next == t) {
        value = !value;
        ++next;
      }
      fine &= observe(t, value);
    }
    return fine;
  });
}

// As in simulations: periods without a change are skipped.
void changes_only(benchmark::State& state) {
  one_by_one(state, [](const Flips& flips, const auto& observe) {
    bool fine = true;
    bool value = false;
    for (const Period t : flips) fine &= observe(t, value = !value);
    return fine && (flips.back() == kPeriods || observe(kPeriods, value));
  });
}

BENCHMARK(every_period);
BENCHMARK(changes_only);

}  // namespace
}  // namespace futurerand
