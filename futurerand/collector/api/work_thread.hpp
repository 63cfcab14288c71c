// WorkThread: one thread beside the HTTP threads, for work of milliseconds: unpacking and reading a
// large body must not delay the other connections of its thread. The kernel prefers the others.
// Owners take turns by the cost of their work, so one busy address delays the others only by its
// share.
//
// Thread safety: all of it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "futurerand/collector/writer/fair_queue.hpp"

namespace futurerand {

struct WorkLimits {
  std::uint64_t turn = 1;  // cost allowed to an owner in one turn
  std::size_t max_waiting = SIZE_MAX;
  std::size_t max_waiting_of_owner = SIZE_MAX;
  // An owner without waiting work may post work of any cost.
  std::uint64_t max_waiting_cost_of_owner = UINT64_MAX;
};

class WorkThread {
 public:
  explicit WorkThread(const WorkLimits& limits = {})
      : limits_(limits), waiting_(limits.turn), thread_([this] { run(); }) {}
  ~WorkThread() { stop(); }
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  // Does the work of one owner in order. Returns false, and does nothing, if too much work waits.
  // After stop() the caller does it at once.
  bool post(std::uint32_t owner, std::uint64_t cost, std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      if (!stopping_) {
        if (waiting_.size() >= limits_.max_waiting ||
            waiting_.size_of(owner) >= limits_.max_waiting_of_owner ||
            !has_room(waiting_.cost_of(owner), cost)) {
          return false;
        }
        waiting_.push(owner, cost, std::move(work));
        wake_.notify_one();
        return true;
      }
    }
    work();
    return true;
  }
  // Does all work in order, for a thread without limits.
  void post(std::function<void()> work) { (void)post(0, 1, std::move(work)); }
  // Does the waiting work, and ends.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      wake_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  static constexpr int kNiceness = 5;

  bool has_room(std::uint64_t waiting, std::uint64_t more) const {
    const std::uint64_t most = limits_.max_waiting_cost_of_owner;
    return waiting == 0 || (waiting <= most && more <= most - waiting);
  }

  void run() {
    // For this thread only, and beyond the priority of the process.
    const auto self = static_cast<id_t>(gettid());
    (void)setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + kNiceness);
    for (std::unique_lock lock(mutex_);;) {
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::function<void()> work = std::move(waiting_.take(0).front());
      lock.unlock();
      work();
      lock.lock();
    }
  }

  const WorkLimits limits_;
  std::mutex mutex_;
  std::condition_variable wake_;
  FairQueue<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace futurerand
