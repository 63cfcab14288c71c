#include "futurerand/simulator/populations/workers.hpp"

#include <algorithm>
#include <thread>

namespace futurerand {
namespace {

constexpr std::uint64_t kChunk = 2048;

// These are net flips up at each period, in one more element than there are periods.
struct Steps {
  std::vector<std::int64_t> up;

  void merge(const Steps& other) {
    for (std::size_t t = 0; t < up.size(); ++t) up[t] += other.up[t];
  }
};

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

std::vector<std::uint64_t> true_counts(const Population& population, const Workers& workers) {
  const Period periods = population.num_periods();
  const Steps steps = fold_users(population, workers, Steps{std::vector<std::int64_t>(periods)},
                                 [](Steps& sum, std::uint64_t, const Flips& flips) {
                                   std::int64_t direction = 1;
                                   for (const Period t : flips) {
                                     sum.up[t - 1] += direction;
                                     direction = -direction;
                                   }
                                 });
  std::vector<std::uint64_t> counts(periods);
  std::int64_t holding = 0;
  for (Period t = 0; t < periods; ++t) {
    holding += steps.up[t];
    counts[t] = static_cast<std::uint64_t>(holding);
  }
  return counts;
}

}  // namespace futurerand
