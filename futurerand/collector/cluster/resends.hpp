// Resends: parts of requests for a moving shard wait here for a moment, and are then sent to its
// new owner. A resent part counts once, as for a device.
//
// Thread safety: all of it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "futurerand/collector/cluster/gathered_answer.hpp"
#include "futurerand/collector/writer/commit_batch.hpp"

namespace futurerand {

// One request on its way to its shards, with the outcome so far.
struct Delivery {
  Delivery(WhenWritten when, bool forwards_too, std::chrono::steady_clock::time_point until)
      : answer(1, std::move(when)), forwards(forwards_too), give_up_at(until) {}

  GatheredAnswer answer;
  const bool forwards;  // other collectors may own shards of it
  // Until then a part for a moving shard waits.
  const std::chrono::steady_clock::time_point give_up_at;
};

class Resends {
 public:
  struct Part {
    BatchPart messages;
    std::uint64_t bytes = 0;  // their memory, roughly
    std::shared_ptr<Delivery> of = {};
  };
  // Each is called on a thread of its own: `look` reads the current owners, `send` sends.
  Resends(std::function<void()> look, std::function<void(const Part&)> send);
  ~Resends() { stop(); }
  Resends(const Resends&) = delete;
  Resends& operator=(const Resends&) = delete;

  // Returns quickly. A part after too long a wait, or one too many, is answered kMoved.
  void add(Part part);
  // Answers kMoved to all waiting and later parts.
  void stop();

 private:
  void run();

  const std::function<void()> look_;
  const std::function<void(const Part&)> send_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Part> waiting_;
  std::uint64_t waiting_bytes_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace futurerand
