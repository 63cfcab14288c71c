// A durable client with its records in memory: the cost of one observation with its save, alone or
// sixteen at a time. Every sixteen periods the lines are read and acknowledged.
// bindings/js/speed.mjs does the same in WebAssembly and compares.
#include <array>

#include <benchmark/benchmark.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

constexpr Period kPeriods = 1024;
constexpr Period kTogether = 16;
using Sixteen = std::array<Observation, kTogether>;

bool observe_alone(Client& client, const Sixteen& all) {
  bool fine = true;
  for (const Observation& seen : all) fine &= bool(client.observe(seen.period, seen.value));
  return fine;
}

bool observe_together(Client& client, const Sixteen& all) { return bool(client.observe(all)); }

void live(benchmark::State& state, Protocol protocol, bool (*observe)(Client&, const Sixteen&)) {
  const MetricTerms terms = test::terms_of("dark-mode", protocol, kPeriods);
  testing_sources::SeededSource source(1);
  for (auto _ : state) {
    state.PauseTiming();
    MemoryStateStore store;
    Ledger ledger = *Ledger::open(store, *Epsilon::parse("1"));
    Client client = *Client::open(terms, 1, ledger, store, source);
    state.ResumeTiming();
    for (Period first = 1; first <= kPeriods; first += kTogether) {
      Sixteen all;
      for (Period i = 0; i < kTogether; ++i) all[i] = {first + i, (first + i) % 256 >= 128};
      if (!observe(client, all)) std::abort();
      const Outbox outbox = client.outbox();
      benchmark::DoNotOptimize(to_lines(outbox));
      if (!client.acknowledge(outbox.next_index)) std::abort();
    }
  }
  state.SetItemsProcessed(kPeriods * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK_CAPTURE(live, observe_innovation, Protocol::kInnovation, observe_alone);
BENCHMARK_CAPTURE(live, observe_hybrid, Protocol::kHybrid, observe_alone);
BENCHMARK_CAPTURE(live, observe_all_innovation, Protocol::kInnovation, observe_together);
BENCHMARK_CAPTURE(live, observe_all_hybrid, Protocol::kHybrid, observe_together);

// A device with 64 labels beside one with yes or no, of the same plan: the same number of flips.
void live_values(benchmark::State& state, bool has_labels) {
  CategoryCoding category;
  for (int i = 0; i < 64; ++i) category.labels.push_back("label " + std::to_string(i));
  const Coding coding = has_labels ? *Coding::create(std::move(category)) : Coding();
  MetricTerms terms = test::terms_of("browser", Protocol::kInnovation, kPeriods);
  terms.plan = *CertifiedPlan::create(*make_plan(Protocol::kInnovation, kPeriods, 4,
                                                 *Epsilon::parse("1"), Initial::kUnknown, coding));
  testing_sources::SeededSource source(1);
  for (auto _ : state) {
    state.PauseTiming();
    MemoryStateStore store;
    Ledger ledger = *Ledger::open(store, *Epsilon::parse("1"));
    Client client = *Client::open(terms, 1, ledger, store, source);
    state.ResumeTiming();
    for (Period t = 1; t <= kPeriods; ++t) {
      const bool later = t % 512 >= 256;
      const Value value =
          has_labels ? Value(std::string_view(coding.labels()[later ? 63 : 5])) : Value(later);
      if (!client.observe(t, value)) std::abort();
    }
  }
  state.SetItemsProcessed(kPeriods * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK_CAPTURE(live_values, yes_no, false);
BENCHMARK_CAPTURE(live_values, labels, true);

}  // namespace
}  // namespace futurerand
