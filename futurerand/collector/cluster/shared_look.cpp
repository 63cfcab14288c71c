#include "futurerand/collector/cluster/shared_look.hpp"

#include <utility>

namespace futurerand {

SharedLook::SharedLook(std::function<bool()> look, std::chrono::milliseconds apart)
    : look_(std::move(look)), apart_(apart), thread_([this] { run(); }) {}

void SharedLook::ask(Then then) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      waiting_.push_back(std::move(then));
      wake_.notify_one();
      return;
    }
  }
  then(false);
}

void SharedLook::run() {
  auto not_before = std::chrono::steady_clock::time_point::min();
  for (std::unique_lock lock(mutex_);;) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    wake_.wait_until(lock, not_before, [this] { return stopping_; });
    const std::vector<Then> asked = std::exchange(waiting_, {});
    const bool stopping = stopping_;
    lock.unlock();
    not_before = std::chrono::steady_clock::now() + apart_;
    const bool done = !stopping && look_();
    for (const Then& then : asked) then(done);
    if (stopping) return;
    lock.lock();
  }
}

void SharedLook::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace futurerand
