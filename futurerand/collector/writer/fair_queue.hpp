// FairQueue: jobs of several owners, served in turns by cost (deficit round robin). An owner with
// many jobs, or large ones, delays the others by no more than its share. Jobs of one owner keep
// their order.
//
// [SV95] Shreedhar, Varghese: Efficient Fair Queueing Using Deficit Round Robin.
//
// Thread safety: one thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

namespace futurerand {

template <typename Job>
class FairQueue {
 public:
  // `turn` is an owner's maximum cost per turn.
  explicit FairQueue(std::uint64_t turn) : turn_(turn) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  // Counts the jobs of one owner.
  std::size_t size_of(std::uint32_t owner) const {
    const auto at = owners_.find(owner);
    return at == owners_.end() ? 0 : at->second.jobs.size();
  }
  // Adds up the costs of one owner's jobs.
  std::uint64_t cost_of(std::uint32_t owner) const {
    const auto at = owners_.find(owner);
    return at == owners_.end() ? 0 : at->second.cost;
  }

  void push(std::uint32_t owner, std::uint64_t cost, Job job) {
    const auto [at, is_new] = owners_.try_emplace(owner);
    if (is_new) turns_.push_back(owner);
    at->second.jobs.emplace_back(cost, std::move(job));
    at->second.cost += cost;
    ++size_;
  }

  // Takes at least one job if there is any, and stops once the total cost reaches `max_cost`. With
  // 0 it takes exactly one.
  std::vector<Job> take(std::uint64_t max_cost) {
    std::vector<Job> taken;
    taken.reserve(std::min<std::size_t>(size_, 64));
    std::uint64_t cost = 0;
    const auto full = [&] { return !taken.empty() && cost >= max_cost; };
    while (size_ > 0 && !full()) {
      Owner& owner = owners_[turns_.front()];
      if (!owner.in_turn) owner.credit += turn_;
      owner.in_turn = true;
      while (!owner.jobs.empty() && owner.jobs.front().first <= owner.credit && !full()) {
        owner.credit -= owner.jobs.front().first;
        owner.cost -= owner.jobs.front().first;
        cost += owner.jobs.front().first;
        taken.push_back(std::move(owner.jobs.front().second));
        owner.jobs.pop_front();
        --size_;
      }
      if (owner.jobs.empty()) {
        owners_.erase(turns_.front());
        turns_.pop_front();
      } else if (!full()) {
        owner.in_turn = false;
        turns_.splice(turns_.end(), turns_, turns_.begin());
      }
    }
    return taken;
  }

 private:
  struct Owner {
    std::deque<std::pair<std::uint64_t, Job>> jobs;  // with their costs
    std::uint64_t cost = 0;                          // of all of them
    std::uint64_t credit = 0;
    bool in_turn = false;  // the credit of this turn was given
  };

  const std::uint64_t turn_;
  std::size_t size_ = 0;
  std::unordered_map<std::uint32_t, Owner> owners_;  // owners with jobs
  std::list<std::uint32_t> turns_;
};

}  // namespace futurerand
