// Outbox: answers on their way from any thread to the connections of one thread. A commit answers
// hundreds of requests at once: they share one turn of the event loop, and one wake-up. Internal to
// the server: it includes Asio.
//
// Thread safety: push() from any thread, all else from the thread of the connections.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "futurerand/collector/api/response.hpp"

namespace futurerand {

class Outbox {
 public:
  // A request that waits for its answer.
  class Asker {
   public:
    virtual ~Asker() = default;
    virtual void receive(ApiResponse response) = 0;
  };

  // The context outlives the outbox. One thread runs it.
  explicit Outbox(boost::asio::io_context& context) : context_(context) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // The asker receives the answer in a later turn of the event loop.
  void push(std::shared_ptr<Asker> asker, ApiResponse response) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.emplace_back(std::move(asker), std::move(response));
      if (waiting_.size() > 1) return;  // a turn was asked for
    }
    boost::asio::post(context_, [this] { deliver(); });
  }

 private:
  using Answers = std::vector<std::pair<std::shared_ptr<Asker>, ApiResponse>>;

  void deliver() {
    {
      const std::lock_guard lock(mutex_);
      delivered_.swap(waiting_);
    }
    for (auto& [asker, response] : delivered_) asker->receive(std::move(response));
    delivered_.clear();
  }

  boost::asio::io_context& context_;
  std::mutex mutex_;
  Answers waiting_;
  Answers delivered_;  // empty between turns; keeps its room
};

}  // namespace futurerand
