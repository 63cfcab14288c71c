// The cost of an answer besides its estimates: the maximum shift of the newest period by one
// device. Beside it stands one estimate of all periods. Four changes, and 64: that `hybrid` plan
// has the most starts to choose from.
#include <string>

#include <benchmark/benchmark.h>

#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/expected_sums.hpp"
#include "futurerand/estimator/robustness/influence.hpp"

namespace futurerand {
namespace {

Plan influence_plan(Protocol protocol, const benchmark::State& state) {
  return *make_plan(protocol, static_cast<Period>(state.range(0)),
                    static_cast<std::uint32_t>(state.range(1)),
                    *Epsilon::parse(std::to_string(state.range(2))));
}

void influence(benchmark::State& state, Protocol protocol) {
  const Plan plan = influence_plan(protocol, state);
  const Sums sums = steady_expected_sums(plan, 0.5);
  for (auto _ : state) benchmark::DoNotOptimize(influence_on(plan, sums, plan.num_periods));
}

void one_estimate(benchmark::State& state, Protocol protocol) {
  const Plan plan = influence_plan(protocol, state);
  const Sums sums = steady_expected_sums(plan, 0.5);
  for (auto _ : state) {
    benchmark::DoNotOptimize(estimate(plan, sums, EstimatorKind::kOnline, plan.num_periods));
  }
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"periods", "changes", "epsilon"})->Unit(benchmark::kMillisecond);
  bench->ArgsProduct({{256, 512, 1024, 4096}, {4}, {1, 4}});
}

BENCHMARK_CAPTURE(influence, hybrid, Protocol::kHybrid)->Apply(sizes)->Args({4096, 64, 1});
BENCHMARK_CAPTURE(influence, optimal, Protocol::kOptimal)->Apply(sizes);
BENCHMARK_CAPTURE(influence, snapshot, Protocol::kSnapshot)->Apply(sizes);
BENCHMARK_CAPTURE(influence, innovation, Protocol::kInnovation)->Apply(sizes);
BENCHMARK_CAPTURE(one_estimate, hybrid, Protocol::kHybrid)->Apply(sizes);
BENCHMARK_CAPTURE(one_estimate, optimal, Protocol::kOptimal)->Apply(sizes);

}  // namespace
}  // namespace futurerand
