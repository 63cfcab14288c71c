// Resends: parts of requests that met a shard on its way to another owner wait here for a moment,
// and are sent where it is then. What is sent again counts once, as when a device does it.
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

// One request on its way to the shards that it is for, and what became of it so far.
struct Delivery {
  Delivery(WhenWritten when, bool forwards_too, std::chrono::steady_clock::time_point until)
      : answer(1, std::move(when)), forwards(forwards_too), give_up_at(until) {}

  GatheredAnswer answer;
  const bool forwards;  // other collectors may have shards of it
  // Until then a part that meets a shard on its way waits for it.
  const std::chrono::steady_clock::time_point give_up_at;
};

class Resends {
 public:
  struct Part {
    BatchPart messages;
    std::uint64_t bytes = 0;  // roughly their memory
    std::shared_ptr<Delivery> of = {};
  };
  // Each is called on a thread of its own: `look` finds out who owns what by now, `send` sends.
  Resends(std::function<void()> look, std::function<void(const Part&)> send);
  ~Resends() { stop(); }
  Resends(const Resends&) = delete;
  Resends& operator=(const Resends&) = delete;

  // Is quick. A part that has waited for too long, or finds too many here, is answered kMoved.
  void add(Part part);
  // Answers what waits, and from now on everything, kMoved.
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
