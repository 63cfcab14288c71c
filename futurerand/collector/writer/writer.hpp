// Writer: the one thread that changes the state. It takes all requests that wait, applies them as
// one group, makes the group durable, answers, and publishes a snapshot. Requests that come
// meanwhile are the next group, so that the cost of a sync is shared by as many as there are.
//
// Thread safety: all of it, unless said.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "futurerand/collector/log/log.hpp"
#include "futurerand/collector/writer/group.hpp"
#include "futurerand/collector/writer/publisher.hpp"
#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/collector/writer/state.hpp"

namespace futurerand {

enum class Written {
  kDurable,
  kNoRoom,    // the disk is full: nothing counts, try later
  kBusy,      // too much is waiting: nothing counts, try later
  kStopping,  // nothing counts
  kConflict,  // a metric of this name exists and is another one; a clock that cannot be advanced
};

struct WriteAnswer {
  Written written = Written::kDurable;
  ReportAnswer batch = {};  // of a batch
  bool created = false;     // of a creation: it is new
  Period period = 0;        // of an advance: the period that runs now
};

// Called on the writer's thread, or at once on the caller's: must be quick.
using WhenWritten = std::function<void(WriteAnswer)>;

struct WriterOptions {
  std::function<Instant()> now;
  std::uint64_t max_waiting_bytes = std::uint64_t{64} << 20;  // of requests, as a measure of memory
  std::uint64_t max_group_messages = 1 << 16;
  std::uint64_t checkpoint_bytes = std::uint64_t{64} << 20;  // of log since the last checkpoint
  std::function<void(const std::string& line)> say = [](const std::string&) {};
  // The log cannot be trusted any more. Must not return.
  std::function<void(const std::string& line)> die;
};

class Writer {
 public:
  // Takes the state after the newest checkpoint and the groups after it (load_state). Log and
  // checkpoints outlive the writer; the writer alone uses them until it is stopped.
  Writer(const WriterOptions& options, State state, std::uint64_t sequence, Log& log,
         Checkpoints& checkpoints);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // `bytes`: roughly the memory that the request holds.
  void write(Batch batch, std::uint64_t bytes, WhenWritten when);
  void create(MetricDefinition definition, WhenWritten when);
  void advance(std::uint32_t metric, WhenWritten when);

  // The newest.
  std::shared_ptr<const Snapshot> snapshot() const { return publisher_.snapshot(); }
  std::uint64_t waiting_bytes() const { return waiting_bytes_; }
  std::uint64_t num_groups() const { return num_groups_; }
  bool has_room() const { return has_room_; }

  // Writes what waits, takes a checkpoint, ends the thread. Later requests are answered kStopping.
  void stop();

 private:
  struct Job {
    std::variant<Batch, MetricDefinition, std::uint32_t> what;  // the last: an advance
    std::uint64_t bytes;
    WhenWritten when;
  };

  using Jobs = std::vector<Job>;
  using Answers = std::vector<WriteAnswer>;  // one for each job

  void submit(Job job);
  void run();
  // Waits for jobs and takes them. None if the writer is to stop.
  Jobs next_jobs(std::size_t answered);
  // One group: these four steps.
  void process(Jobs& jobs);
  Answers apply(Jobs& jobs, Group& group);
  WriteAnswer apply(Job& job, Group& group);
  // False if the log has no room: then nothing of the group counts.
  bool append(const Group& group);
  void account(const Jobs& jobs, const Group& group, const Answers& answers);
  void answer(Jobs& jobs, Answers answers);

  bool recover();
  void checkpoint_if_due();
  void checkpoint();

  const WriterOptions options_;
  State state_;
  std::uint64_t sequence_;
  Log& log_;
  Checkpoints& checkpoints_;

  std::uint64_t bytes_since_checkpoint_ = 0;
  std::uint64_t checkpoint_size_ = 0;
  Instant last_recovery_ = {};
  std::chrono::steady_clock::duration append_cost_{};  // of the last group
  Publisher publisher_;
  std::atomic<std::uint64_t> waiting_bytes_ = 0;
  std::atomic<std::uint64_t> num_groups_ = 0;
  std::atomic<bool> has_room_ = true;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> waiting_;
  std::size_t wake_at_ = 1;  // so many waiting are worth waking up for
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace futurerand
