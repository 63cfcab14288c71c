// CheckpointThread: writes one checkpoint's file on its own thread, so nobody else waits for its
// writes and syncs. It accepts few pieces at a time, to bound the memory of queued pieces.
//
// Thread safety: one thread at a time uses it; `then` runs on its own thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "futurerand/collector/log/checkpoint_file.hpp"

namespace futurerand {

class CheckpointThread {
 public:
  // `then` is called once the checkpoint counts, before commit() says so.
  CheckpointThread(CheckpointFile file, std::function<void()> then);
  // Gives up the checkpoint if it does not count yet. Waits for the current disk call.
  ~CheckpointThread();
  CheckpointThread(const CheckpointThread&) = delete;
  CheckpointThread& operator=(const CheckpointThread&) = delete;

  // Says whether it is better to come again later: enough waits for the disk, or the end does.
  bool is_busy() const;
  // An error may be of an earlier piece. After one the checkpoint is to be given up.
  Status put(const CheckpointPiece& piece);
  // The first call ends the pieces. Returns true once the checkpoint counts.
  Result<bool> commit();

 private:
  struct Waiting {
    std::uint32_t number;
    std::uint64_t cut;
    std::string bytes;
  };

  void run();
  // Waits for a piece, or for the end. Returns false if there are no more pieces.
  bool next(Waiting& piece);

  CheckpointFile file_;  // of the thread
  const std::function<void()> then_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Waiting> waiting_;
  std::uint64_t waiting_bytes_ = 0;
  bool ending_ = false;    // no more pieces come
  bool given_up_ = false;  // nor is it to count
  bool over_ = false;      // the thread has done all it can
  Status status_;
  std::thread thread_;
};

}  // namespace futurerand
