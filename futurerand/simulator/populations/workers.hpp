// Workers: threads for the users of a trial. Users are handed out in chunks, in no fixed order. A
// fold over them must not depend on the order (integer sums).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "futurerand/simulator/populations/population.hpp"

namespace futurerand {

class Workers {
 public:
  // `cancel`, if any, is watched; `progress`, if any, hears the share done, 0 to 1, of each
  // for_each_chunk, always on the calling thread. Requires threads >= 1.
  explicit Workers(unsigned threads, const std::atomic<bool>* cancel = nullptr,
                   std::function<void(double)> progress = {})
      : threads_(threads), cancel_(cancel), progress_(std::move(progress)) {}

  unsigned size() const { return threads_; }
  bool cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }

  // Calls work(worker, first, last) for disjoint ranges that cover 0..count-1, worker < size(),
  // never twice at once for one worker. Stops early once cancelled.
  using Work = std::function<void(unsigned worker, std::uint64_t first, std::uint64_t last)>;
  void for_each_chunk(std::uint64_t count, const Work& work) const;

 private:
  unsigned threads_;
  const std::atomic<bool>* cancel_;
  std::function<void(double)> progress_;
};

// Calls visit(sum, user, course) for every user, with its Flips or its Values. Each worker has a
// copy of `zero`, and they are merged into one. Requires a Sum with a merge(const Sum&) that is
// exact in any order. Once cancelled, the result is of no use: ask workers.cancelled().
template <typename Course = Flips, typename Sum, typename Visit>
Sum fold_users(const Population& population, const Workers& workers, const Sum& zero,
               const Visit& visit) {
  std::vector<Sum> sums(workers.size(), zero);
  workers.for_each_chunk(population.num_users(),
                         [&](unsigned worker, std::uint64_t first, std::uint64_t last) {
                           Course course;
                           for (std::uint64_t user = first; user < last; ++user) {
                             population.draw(user, course);
                             visit(sums[worker], user, std::as_const(course));
                           }
                         });
  for (unsigned worker = 1; worker < workers.size(); ++worker) sums[0].merge(sums[worker]);
  return std::move(sums[0]);
}

// Counts how many users hold 1; a number counts as its share of the range. Element t-1 is period t.
// Labels and buckets have several figures a period (held_counts.hpp), one after the other.
std::vector<double> true_counts(const Population& population, const Workers& workers);

}  // namespace futurerand
