#include "futurerand/simulator/populations/workers.hpp"

#include <algorithm>
#include <thread>

#include "futurerand/simulator/populations/held_counts.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kChunk = 2048;

}  // namespace

void Workers::for_each_chunk(std::uint64_t count, const Work& work) const {
  const std::uint64_t num_chunks = (count + kChunk - 1) / kChunk;
  std::atomic<std::uint64_t> next{0};
  const auto run = [&](unsigned worker) {
    while (!cancelled()) {
      const std::uint64_t chunk = next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= num_chunks) return;
      work(worker, chunk * kChunk, std::min(count, (chunk + 1) * kChunk));
      if (worker == 0 && progress_) {
        progress_(static_cast<double>(chunk + 1) / static_cast<double>(num_chunks));
      }
    }
  };
  std::vector<std::jthread> others;
  for (unsigned worker = 1; worker < threads_ && worker < num_chunks; ++worker) {
    others.emplace_back(run, worker);
  }
  run(0);
}

std::vector<double> true_counts(const Population& population, const Workers& workers) {
  return fold_users<Values>(population, workers,
                            HeldCounts(population.coding(), population.num_periods()),
                            [](HeldCounts& sum, std::uint64_t, const Values& values) {
                              for (std::size_t i = 0; i < values.size(); ++i) {
                                if (i > 0) sum.end(values[i].period, values[i - 1].value);
                                sum.start(values[i].period, values[i].value);
                              }
                            })
      .figures();
}

}  // namespace futurerand
