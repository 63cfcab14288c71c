// A durable client with its records in memory: what one observation costs, saving included.
// bindings/js/speed.mjs compares WebAssembly with it.
#include <benchmark/benchmark.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test_sources.hpp"

namespace futurerand {
namespace {

void client_observe(benchmark::State& state, Protocol protocol) {
  constexpr Period kPeriods = 1024;
  const MetricTerms terms = test::terms_of("dark-mode", protocol, kPeriods);
  testing_sources::SeededSource source(1);
  for (auto _ : state) {
    state.PauseTiming();
    MemoryStateStore store;
    Ledger ledger = *Ledger::open(store, *Epsilon::parse("1"));
    Client client = *Client::open(terms, 1, ledger, store, source);
    state.ResumeTiming();
    for (Period t = 1; t <= kPeriods; ++t) {
      if (!client.observe(t, t % 256 >= 128)) std::abort();
      if (t % 16 == 0 && !client.acknowledge(client.outbox().next_index)) std::abort();
    }
  }
  state.SetItemsProcessed(kPeriods * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK_CAPTURE(client_observe, innovation, Protocol::kInnovation);
BENCHMARK_CAPTURE(client_observe, hybrid, Protocol::kHybrid);

}  // namespace
}  // namespace futurerand
