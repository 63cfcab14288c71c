// Writer: the one thread that changes the state. It takes waiting requests, with the metrics in
// turns, and applies them as one commit. It makes the commit durable, answers, and publishes a
// snapshot. Requests that arrive meanwhile form the next commit, so they share the cost of one
// sync. Checkpoints are cut in slices between commits.
//
// Thread safety: all of it, unless said.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "futurerand/collector/log/event.hpp"
#include "futurerand/collector/log/log.hpp"
#include "futurerand/collector/writer/fair_queue.hpp"
#include "futurerand/collector/writer/guarded_clock.hpp"
#include "futurerand/collector/writer/intake.hpp"
#include "futurerand/collector/writer/lifecycle_change.hpp"
#include "futurerand/collector/writer/publisher.hpp"
#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/collector/writer/state.hpp"
#include "futurerand/collector/writer/state_checkpoint.hpp"
#include "futurerand/collector/writer/write_request.hpp"
#include "futurerand/collector/writer/writer_figures.hpp"

namespace futurerand {

struct WriterOptions {
  std::function<Instant()> now;
  GuardedClock* clock =
      nullptr;  // the clock behind `now`. It must outlive the writer. Null: nothing guards `now`
  // Remembers this time durably. Called now and then. Null: nothing is remembered.
  std::function<void(Instant)> remember_time = nullptr;
  // A metric past its end by the wall clock keeps its devices' data this long, because the clock
  // may be wrong.
  std::chrono::seconds erase_after{7 * 86'400};
  // The minimum time between a metric's closing and the erasure of its devices, by this process's
  // steady clock. If the wall clock was wrong, this leaves a day to notice.
  std::chrono::seconds least_closed() const {
    return std::min(erase_after, std::chrono::seconds(86'400));
  }
  // Says whether the devices of an operator-ended metric may be erased. Null: least_closed()
  // decides. In a cluster a row decides for all shards.
  std::function<bool(std::uint32_t metric)> may_erase_ended = nullptr;
  std::uint64_t max_waiting_bytes = std::uint64_t{64} << 20;  // of requests, as a measure of memory
  std::uint64_t max_group_bytes = std::uint64_t{2} << 20;     // in the same measure
  std::uint32_t max_part_messages = 8192;                     // larger batches are written in parts
  std::uint64_t checkpoint_bytes = std::uint64_t{64} << 20;   // of log since the last checkpoint
  // Limit on the memory of clients and sums. Beyond it no more devices enrol.
  std::uint64_t max_state_bytes = UINT64_MAX;
  // If so, the log keeps every record for good: nothing can be deleted.
  bool keeps_log = false;
  Say say = say_nothing;
  // Total memory of all writers in this process. They share the limit.
  std::function<std::uint64_t()> all_state_bytes = [] { return std::uint64_t{0}; };
  std::uint32_t shards = 1;  // each takes its share of a metric's devices
  // It is called when the log cannot be trusted any more, and must not return.
  std::function<void(const std::string& line)> die;
  // Replaces `die` in a shard. The log belongs to another collector now, or its durable end is
  // unknown. The writer answers kMoved from now on, and takes no checkpoint. Called once, on the
  // writer's thread.
  std::function<void(const std::string& line)> lose = nullptr;
  // If set, the writer has no thread of its own. It calls this on any thread for each new request,
  // and a driver does the rest (below).
  std::function<void()> wake = nullptr;
  // Minimum time between snapshots, except for the operator's changes. 0: as soon as no other
  // request waits.
  std::chrono::milliseconds publish_interval{0};
};

class Writer final : public Intake {
 public:
  // Takes the result of load_state. Log and checkpoints outlive the writer. Nobody else uses them
  // until the writer is stopped.
  Writer(const WriterOptions& options, LoadedState loaded, Log& log, Checkpoints& checkpoints);
  ~Writer() override;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(Batch batch, std::uint64_t bytes, WhenWritten when) override {
    write(whole(std::move(batch)), bytes, std::move(when));
  }
  void write(BatchPart part, std::uint64_t bytes, WhenWritten when);
  void create(MetricDefinition definition, WhenWritten when) override;
  void advance(const AdvanceRequest& advance, WhenWritten when) override;
  void change(LifecycleChange change, WhenWritten when) override;

  std::shared_ptr<const Snapshot> snapshot() const override { return publisher_.snapshot(); }
  const WriterFigures& figures() const override { return figures_; }
  std::chrono::milliseconds stalled() const override { return stall_.waiting(); }

  // Writes the waiting requests, takes a checkpoint, and ends the thread. Later requests are
  // answered kStopping. A driven writer does this on the caller's thread, and must not be driven
  // any more.
  void stop();

  // For the driver of a writer without a thread. One thread at a time.
  //
  // begin() applies waiting requests, up to one commit. It returns false if none wait. group() is
  // the content of commit number `next_sequence`. It may be empty. end() takes the result of the
  // append, and answers. Even for an empty commit, end() must know whether the log is still ours.
  // If it is not, the only safe answer is kMoved.
  bool begin();
  std::string_view group() const { return begun_->bytes(); }
  std::uint64_t next_sequence() const { return sequence_ + 1; }
  void end(const AppendResult& result, std::chrono::steady_clock::duration took);
  bool has_waiting();
  // Does a slice of the upkeep between commits. Returns whether more is left.
  bool tidy();

 private:
  // A request, and the results of its parts so far.
  struct Request {
    std::variant<BatchPart, NewMetric, AdvanceRequest, LifecycleChange> what;
    std::uint64_t bytes;
    WhenWritten when;
    WriteAnswer answer = {};
    std::size_t parts = 1;  // not answered yet
  };
  // One part of a request: some messages of a batch, or all of any other request.
  struct Part {
    std::shared_ptr<Request> request;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  using Parts = std::vector<Part>;
  // A part in the current commit.
  struct Job : Part {
    WriteAnswer answer = {};
  };
  using Jobs = std::vector<Job>;
  // An applied commit, not yet known to be durable.
  struct Begun {
    Jobs jobs;
    std::optional<CommitBatch> group;  // nothing for a change, or if the log is unusable
    std::string change;                // of a lifecycle; applied once it is durable

    std::string_view bytes() const { return group ? std::string_view(group->bytes()) : change; }
  };

  void submit(std::uint32_t owner, Request request);
  void run();
  // Waits for requests, for a while, and takes them.
  Parts next_parts(std::size_t answered);
  bool is_over();
  // Applies the taken parts for the next commit: as many as possible, or one lifecycle change.
  // Returns false if there are none.
  bool begin_group();
  void begin_change(Job& job);
  // Answers the begun commit.
  void end_group(bool durable);
  void apply_change(const Job& job, const std::string& group);
  void apply(Job& job, CommitBatch& group);
  void apply(Jobs& jobs, CommitBatch& group);
  bool is_memory_full() const;
  void refuse_for_memory();
  // Uses the log no more.
  void give_up(const std::string& line);
  // Returns false if the log has no room. Then nothing in the commit counts.
  bool append(std::string_view group);
  // The same for a finished attempt to append.
  bool finish_commit(const AppendResult& result, std::size_t bytes,
                     std::chrono::steady_clock::duration took);
  void account(const Jobs& jobs, const std::vector<bool>& touched);
  void answer(Jobs& jobs);
  // Returns a refused batch to its sender, if another collector may take it.
  static void give_back(Request& request, WriteAnswer& answer);
  // Records the closing of metrics, now and then.
  void close_metrics();
  // Says whether the metric has been closed long enough to erase its devices' data.
  bool may_erase(const Metric& metric, std::uint32_t number, Instant now);
  // Makes a closed season final. Returns false if the log has no room.
  bool finalize(std::uint32_t number, Period period);
  void follow_clock(Instant now);

  bool recover();
  void checkpoint_if_due();
  void begin_checkpoint();
  void give_up_checkpoint();
  // Cuts some more of the checkpoint under way, or all that is left of it.
  void cut_slice();
  void cut_rest();
  void end_checkpoint(const Status& done);
  void checkpoint_all();

  const WriterOptions options_;
  State state_;
  std::uint64_t sequence_;
  Log& log_;
  Checkpoints& checkpoints_;

  Parts taken_;  // from the queue, and not begun
  std::optional<Begun> begun_;
  std::optional<StateCheckpoint> checkpoint_;  // under way
  bool erasing_ = false;                       // older data goes once it counts
  std::chrono::steady_clock::time_point last_erasing_{};
  Instant last_recovery_ = {};
  Instant last_closing_ = {};
  std::optional<std::chrono::steady_clock::time_point> remembered_ = {};  // the time
  // When each metric was first seen past its end by the wall clock.
  std::map<std::uint32_t, std::chrono::steady_clock::time_point> closed_since_ = {};
  Instant last_memory_ = {};  // when the operator was last warned
  bool rested_ = true;
  bool lost_ = false;
  bool finished_ = false;                              // stopped, without a thread
  std::chrono::steady_clock::duration append_cost_{};  // of the last group
  std::vector<std::uint64_t> memory_;                  // by metric
  Publisher publisher_;
  WriterFigures figures_;
  StallWatch stall_;

  std::mutex mutex_;
  std::condition_variable wake_;
  FairQueue<Part> waiting_;
  std::size_t wake_at_ = 1;  // waiting requests needed to wake up
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace futurerand
