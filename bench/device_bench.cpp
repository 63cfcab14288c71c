// A device's whole life: joining, four changes, 1024 periods; and the lines it sends.
#include <benchmark/benchmark.h>

#include "futurerand/device/device.hpp"
#include "futurerand/device/test_sources.hpp"
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
BENCHMARK_CAPTURE(device_life, hybrid, Protocol::kHybrid);
BENCHMARK_CAPTURE(device_life, future_rand, Protocol::kFutureRand);
BENCHMARK_CAPTURE(device_life, snapshot, Protocol::kSnapshot);
BENCHMARK_CAPTURE(device_life, repeated, Protocol::kRepeated);

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
