// Measures the way from (k, epsilon) to the law's integers, and from those to the certificate, by
// law; for innovation also the design, the certificate of a plan and the estimates.
#include <string>

#include <benchmark/benchmark.h>

#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/privacy/certificate.hpp"
#include "futurerand/estimator/estimate.hpp"

namespace futurerand {
namespace {

void make(benchmark::State& state, LawName name) {
  const Epsilon epsilon = *Epsilon::parse("1");
  for (auto _ : state) {
    benchmark::DoNotOptimize(make_law(name, static_cast<std::uint32_t>(state.range(0)), epsilon));
  }
}

void certificate(benchmark::State& state, LawName name) {
  const Epsilon epsilon = *Epsilon::parse("1");
  const Law law = *make_law(name, static_cast<std::uint32_t>(state.range(0)), epsilon);
  for (auto _ : state) benchmark::DoNotOptimize(certify(law, epsilon));
}

void innovation_design(benchmark::State& state) {
  const Epsilon epsilon = *Epsilon::parse("1");
  const auto periods = static_cast<Period>(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(make_plan(Protocol::kInnovation, periods, 4, epsilon));
  }
}
BENCHMARK(innovation_design)->Arg(256)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

// A device's work before it joins.
void innovation_certificate(benchmark::State& state) {
  const auto periods = static_cast<Period>(state.range(0));
  const Plan plan = *make_plan(Protocol::kInnovation, periods, 4, *Epsilon::parse("1"));
  for (auto _ : state) benchmark::DoNotOptimize(certify(plan));
}
BENCHMARK(innovation_certificate)->Arg(256)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

// Estimates all periods from sums: the server's work for one answer.
void innovation_estimate(benchmark::State& state, EstimatorKind kind) {
  const auto periods = static_cast<Period>(state.range(0));
  const Plan plan = *make_plan(Protocol::kInnovation, periods, 4, *Epsilon::parse("1"));
  Sums sums(plan);
  sums.enrol(0, 1, 0, 10'000);
  for (Period t = 1; t <= periods; ++t) sums.add(0, t, 100 + t % 7, 10'000);
  for (auto _ : state) benchmark::DoNotOptimize(estimate(plan, sums, kind, periods));
}
BENCHMARK_CAPTURE(innovation_estimate, online, EstimatorKind::kOnline)
    ->Arg(1024)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(innovation_estimate, trend, EstimatorKind::kTrend)
    ->Arg(1024)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);

const bool kRegistered = [] {
  for (const LawName name : kLawNames) {
    const std::string law(name_of(name));
    for (auto* added :
         {benchmark::RegisterBenchmark(("make/" + law).c_str(), make, name),
          benchmark::RegisterBenchmark(("certify/" + law).c_str(), certificate, name)}) {
      added->Arg(64)->Arg(4096)->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace futurerand
