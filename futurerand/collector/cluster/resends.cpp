#include "futurerand/collector/cluster/resends.hpp"

#include <utility>

namespace futurerand {
namespace {

// Between two attempts; a shard changes hands in a fraction of a second.
constexpr std::chrono::milliseconds kResendPause{50};
constexpr std::uint64_t kMaxResendBytes = std::uint64_t{64} << 20;

void refuse(const Resends::Part& part) { part.of->answer.add({.written = Written::kMoved}); }

}  // namespace

Resends::Resends(std::function<void()> look, std::function<void(const Part&)> send)
    : look_(std::move(look)), send_(std::move(send)), thread_([this] { run(); }) {}

void Resends::add(Part part) {
  if (std::chrono::steady_clock::now() < part.of->give_up_at) {
    const std::lock_guard lock(mutex_);
    if (!stopping_ && waiting_bytes_ + part.bytes <= kMaxResendBytes) {
      waiting_bytes_ += part.bytes;
      waiting_.push_back(std::move(part));
      wake_.notify_one();
      return;
    }
  }
  refuse(part);
}

void Resends::run() {
  for (std::unique_lock lock(mutex_);;) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    lock.unlock();
    look_();
    lock.lock();
    wake_.wait_for(lock, kResendPause, [this] { return stopping_; });
    std::vector<Part> parts = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    const bool stopping = stopping_;
    lock.unlock();
    for (const Part& part : parts) {
      if (stopping) {
        refuse(part);
      } else {
        send_(part);
      }
    }
    if (stopping) return;
    lock.lock();
  }
}

void Resends::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace futurerand
