// Measures a complete run of a device: joining, four changes, 1024 periods, and its lines.
#include <benchmark/benchmark.h>

#include "futurerand/device/device.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/entropy/coin_ratchet.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

void device_life(benchmark::State& state, Protocol protocol) {
  const CertifiedPlan plan =
      *CertifiedPlan::create(*make_plan(protocol, 1024, 4, *Epsilon::parse("1")));
  testing_sources::SeededSource source(1);
  std::uint64_t reports = 0;
  for (auto _ : state) {
    Result<Device> device = Device::join(plan, 1, source);
    bool value = false;
    for (const Period t : {100U, 300U, 555U, 900U, 1024U}) {
      value = !value;
      const bool observed = device->observe(t, value, source, [&](const SignRun& run) {
        benchmark::DoNotOptimize(run.minus);
        reports += run.count;
      });
      if (!observed) std::abort();
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(reports));
}
BENCHMARK_CAPTURE(device_life, innovation, Protocol::kInnovation);
BENCHMARK_CAPTURE(device_life, hybrid, Protocol::kHybrid);
BENCHMARK_CAPTURE(device_life, future_rand, Protocol::kFutureRand);
BENCHMARK_CAPTURE(device_life, snapshot, Protocol::kSnapshot);
BENCHMARK_CAPTURE(device_life, repeated, Protocol::kRepeated);

CertifiedPlan innovation_of(std::int64_t periods) {
  return *CertifiedPlan::create(
      *make_plan(Protocol::kInnovation, static_cast<Period>(periods), 4, *Epsilon::parse("1")));
}

// This runs as on a device: one call a period, with the ratchet's coins. Joining is left out.
void innovation_observe(benchmark::State& state) {
  const CertifiedPlan plan = innovation_of(1024);
  testing_sources::SeededSource source(1);
  const DeviceState joined = Device::join(plan, 1, source)->state();
  CoinRatchet coins(std::array<std::uint8_t, 32>{});
  for (auto _ : state) {
    state.PauseTiming();
    Device device = *Device::restore(plan, joined);
    state.ResumeTiming();
    for (Period t = 1; t <= 1024; ++t) {
      const bool value = (t >= 100 && t < 300) || (t >= 555 && t < 900);
      const bool observed = device.observe(
          t, value, coins, [](const SignRun& run) { benchmark::DoNotOptimize(run.minus); });
      if (!observed) std::abort();
    }
  }
  state.SetItemsProcessed(1024 * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(innovation_observe);

void innovation_join(benchmark::State& state) {
  const CertifiedPlan plan = innovation_of(state.range(0));
  testing_sources::SeededSource source(1);
  for (auto _ : state) benchmark::DoNotOptimize(Device::join(plan, 1, source));
}
BENCHMARK(innovation_join)->Arg(256)->Arg(1024)->Arg(4096)->Unit(benchmark::kMicrosecond);

void ratchet(benchmark::State& state) {
  CoinRatchet coins(std::array<std::uint8_t, 32>{});
  std::array<std::uint64_t, 4> words;
  for (auto _ : state) benchmark::DoNotOptimize(coins.fill(words));
  state.SetItemsProcessed(256 * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(ratchet);

void parse(benchmark::State& state, std::string_view line) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_line(line));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK_CAPTURE(parse, report,
                  R"({"client":"00112233445566778899aabbccddeeff","index":3,"signs":"+-+"})");
BENCHMARK_CAPTURE(parse, report_with_spaces,
                  R"({"client": "00112233445566778899aabbccddeeff", "index": 3, "signs": "+-+"})");
BENCHMARK_CAPTURE(parse, enrolment,
                  R"({"client":"00112233445566778899aabbccddeeff","view":2,"period":7})");

}  // namespace
}  // namespace futurerand
