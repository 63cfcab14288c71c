#include "futurerand/simulator/populations/workers.hpp"

#include <algorithm>
#include <thread>

namespace futurerand {
namespace {

constexpr std::uint64_t kChunk = 2048;

// By how much more is held in each period than in the one before.
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

std::vector<double> true_counts(const Population& population, const Workers& workers) {
  const Period periods = population.num_periods();
  const Steps steps =
      fold_users<Values>(population, workers, Steps{std::vector<std::int64_t>(periods)},
                         [](Steps& sum, std::uint64_t, const Values& values) {
                           std::int64_t held = 0;
                           for (const ValueFrom& at : values) {
                             sum.up[at.period - 1] += at.value - held;
                             held = at.value;
                           }
                         });
  std::vector<double> counts(periods);
  std::int64_t holding = 0;
  for (Period t = 0; t < periods; ++t) {
    holding += steps.up[t];
    counts[t] = static_cast<double>(holding) / population.coding().full_scale();
  }
  return counts;
}

}  // namespace futurerand
