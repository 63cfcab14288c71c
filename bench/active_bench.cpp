// The cost of counting active devices, with departures in every period: the time of an estimate,
// the bytes of the tables, and the bytes per device.
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/answer.hpp"

namespace futurerand {
namespace {

constexpr HashKey kActiveKey{3, 4};

Plan active_plan(Protocol protocol, Period periods) {
  return *make_plan(protocol, periods, 4, *Epsilon::parse("4"));
}

// A few devices of every view leave in each period, after the horizon.
Fold folded_for_bench(const Plan& plan) {
  Fold fold(plan, kActiveKey, empty_presence(plan, true));
  std::mt19937_64 random(1);
  const Period after = plan.num_periods + 1;
  for (Period next = 2; next <= after; ++next) {
    for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
      ClientId id;
      for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random());
      const Schedule schedule(plan.views[view], plan.num_periods);
      const std::uint32_t start = schedule.draws_start() ? 1 : 0;
      (void)fold.apply(Enrolment{id, view, 1, start}, after);
      const std::uint32_t first = schedule.first_index(1, start);
      const std::uint32_t owed = schedule.num_owed(first, next - 1);
      if (owed > 0) (void)fold.apply(Report{id, first, {owed, Sign::kPlus}}, after);
    }
  }
  return fold;
}

void estimate_those_active(benchmark::State& state, Protocol protocol) {
  const auto periods = static_cast<Period>(state.range(0));
  const Plan plan = active_plan(protocol, periods);
  const Fold fold = folded_for_bench(plan);
  for (auto _ : state) {
    benchmark::DoNotOptimize(estimate_active(plan, fold.sums(), *fold.presence(),
                                             {periods + 1, kDefaultInactiveAfter},
                                             EstimatorKind::kOnline, periods));
  }
  state.counters["table_MB"] = static_cast<double>(fold.presence()->memory_bytes()) / 1e6;
  Fold many(plan, kActiveKey, empty_presence(plan, true));
  std::mt19937_64 random(2);
  constexpr std::uint32_t kDevices = 100'000;
  const double without = static_cast<double>(many.memory_bytes());
  for (std::uint32_t i = 0; i < kDevices; ++i) {
    ClientId id;
    for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random());
    (void)many.apply(Enrolment{id, 0, 1, 0}, 1);
  }
  state.counters["bytes_a_device"] =
      (static_cast<double>(many.memory_bytes()) - without) / kDevices;
}

BENCHMARK_CAPTURE(estimate_those_active, innovation, Protocol::kInnovation)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Arg(2048)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);

// An answer with a row for each segment and period.
void answer_by_segment(benchmark::State& state) {
  const auto segments = static_cast<std::uint32_t>(state.range(0));
  Plan plan = active_plan(Protocol::kInnovation, static_cast<Period>(state.range(1)));
  std::vector<std::string> names;
  for (std::uint32_t g = 0; g < segments; ++g)
    names.push_back(std::string("v").append(std::to_string(g)));
  plan.segments = *Segments::create("version", names);
  const Period after = plan.num_periods + 1;
  Fold fold(plan, kActiveKey, empty_presence(plan, true));
  std::mt19937_64 random(3);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    ClientId id;
    for (std::uint8_t& byte : id.bytes) byte = static_cast<std::uint8_t>(random());
    (void)fold.apply(Enrolment{id, 0, 1, 0, names[i % segments]}, after);
    PackedSigns signs;
    for (Period t = 1; t <= plan.num_periods; ++t) signs.push_back(sign_of(random() % 2 == 0));
    (void)fold.apply(Report{id, 1, signs}, after);
  }
  Question question;
  question.by_segment = true;
  for (auto _ : state) {
    benchmark::DoNotOptimize(answer(plan, {fold.sums(), fold.presence(), after}, question));
  }
}
BENCHMARK(answer_by_segment)
    ->Args({64, 64})
    ->Args({64, 256})
    ->Args({256, 256})
    ->Unit(benchmark::kMillisecond);
}  // namespace
}  // namespace futurerand
