// WorkThread: one thread beside those that speak HTTP, for work that takes milliseconds: a large
// body that is unpacked and read must not keep the other connections of its thread waiting. The
// kernel prefers the others.
//
// Thread safety: all of it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace futurerand {

class WorkThread {
 public:
  WorkThread() : thread_([this] { run(); }) {}
  ~WorkThread() { stop(); }
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  // Does the work in order. After stop() it is done at once, by the caller.
  void post(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      if (!stopping_) {
        waiting_.push_back(std::move(work));
        wake_.notify_one();
        return;
      }
    }
    work();
  }
  // Does what waits, and ends.
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

  void run() {
    // Of this thread only, and beyond what the whole process has.
    const auto self = static_cast<id_t>(gettid());
    (void)setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + kNiceness);
    for (std::unique_lock lock(mutex_);;) {
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace futurerand
