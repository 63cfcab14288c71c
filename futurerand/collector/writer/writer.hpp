// Writer: the one thread that changes the state. It takes requests that wait, of all metrics in
// turns, applies them as one group, makes the group durable, answers, and publishes a snapshot.
// Requests that come meanwhile are the next group, so that the cost of a sync is shared by as many
// as there are. Checkpoints are cut in slices between groups.
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
      nullptr;  // that `now` follows; it outlives the writer. Null: none guards it
  // Remembers durably that it was this late; it is called now and then. Null: nobody does.
  std::function<void(Instant)> remember_time = nullptr;
  // A metric that is over by the wall clock keeps what is known of its devices for so long: the
  // clock may have been wrong.
  std::chrono::seconds erase_after{7 * 86'400};
  // A metric is closed for so long by the steady clock of this process before its devices are
  // erased: a clock that was believed although it was wrong leaves a day to notice it.
  std::chrono::seconds least_closed() const {
    return std::min(erase_after, std::chrono::seconds(86'400));
  }
  // Says whether the devices of a metric may be erased that an operator ended. Null: least_closed()
  // decides. In a cluster a row decides for all shards.
  std::function<bool(std::uint32_t metric)> may_erase_ended = nullptr;
  std::uint64_t max_waiting_bytes = std::uint64_t{64} << 20;  // of requests, as a measure of memory
  std::uint64_t max_group_bytes = std::uint64_t{2} << 20;     // in the same measure
  std::uint32_t max_part_messages = 8192;                     // larger batches are written in parts
  std::uint64_t checkpoint_bytes = std::uint64_t{64} << 20;   // of log since the last checkpoint
  // Clients and sums may take so much memory; beyond it no more devices enrol.
  std::uint64_t max_state_bytes = UINT64_MAX;
  // If so, the log keeps every record for good: nothing can be deleted.
  bool keeps_log = false;
  Say say = say_nothing;
  // It counts what all writers in this process hold, which share the limit.
  std::function<std::uint64_t()> all_state_bytes = [] { return std::uint64_t{0}; };
  std::uint32_t shards = 1;  // each takes its share of a metric's devices
  // It is called when the log cannot be trusted any more, and must not return.
  std::function<void(const std::string& line)> die;
  // A shard has this instead: the log went to someone else, or nobody knows what is durable. The
  // writer answers kMoved from now on, and takes no checkpoint. It is called once, on the writer's
  // thread.
  std::function<void(const std::string& line)> lose = nullptr;
  // With this the writer has no thread of its own: it is called, on any thread, whenever a request
  // comes, and whoever drives the writer does the rest (below).
  std::function<void()> wake = nullptr;
  // Readers see what is new at most so often, unless the operator changed something; 0: as soon as
  // nobody else waits.
  std::chrono::milliseconds publish_interval{0};
};

class Writer final : public Intake {
 public:
  // Takes what load_state gave. Log and checkpoints outlive the writer; the writer alone uses them
  // until it is stopped.
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

  // Writes what waits, takes a checkpoint, ends the thread. Later requests are answered kStopping.
  // A writer that is driven does so on the caller's thread, and nobody drives it any more.
  void stop();

  // For whoever drives a writer without a thread: one thread at a time. begin() applies what waits,
  // as far as it makes one group, and returns false if nothing does; group() is what the log is to
  // have as number `next_sequence`, and may be empty; end() is told what became of it, and answers.
  // For an empty group it is told whether the log is still ours: without that, nothing may be
  // answered from the state but that the log has moved.
  bool begin();
  std::string_view group() const { return begun_->bytes(); }
  std::uint64_t next_sequence() const { return sequence_ + 1; }
  void end(const AppendResult& result, std::chrono::steady_clock::duration took);
  bool has_waiting();
  // Does a slice of what is to be done between groups; returns whether there is more of it.
  bool tidy();

 private:
  // This is a request, and what has become of its parts so far.
  struct Request {
    std::variant<BatchPart, NewMetric, AdvanceRequest, LifecycleChange> what;
    std::uint64_t bytes;
    WhenWritten when;
    WriteAnswer answer = {};
    std::size_t parts = 1;  // that are not answered yet
  };
  // This is one part of a request: some messages of a batch, or all of anything else.
  struct Part {
    std::shared_ptr<Request> request;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  using Parts = std::vector<Part>;
  // And this is one that is being written.
  struct Job : Part {
    WriteAnswer answer = {};
  };
  using Jobs = std::vector<Job>;
  // This is a group that was applied, and is not known to be durable.
  struct Begun {
    Jobs jobs;
    std::optional<CommitBatch> group;  // nothing if the log cannot be used, or of a change
    std::string change;                // of a lifecycle, which is applied when it is durable

    std::string_view bytes() const { return group ? std::string_view(group->bytes()) : change; }
  };

  void submit(std::uint32_t owner, Request request);
  void run();
  // Waits for requests, for a while, and takes them.
  Parts next_parts(std::size_t answered);
  bool is_over();
  // Applies those parts that were taken that make the next group: as many as possible, or one that
  // changes a lifecycle. Returns false if there are none.
  bool begin_group();
  void begin_change(Job& job);
  // Answers the group that was begun.
  void end_group(bool durable);
  void apply_change(const Job& job, const std::string& group);
  void apply(Job& job, CommitBatch& group);
  void apply(Jobs& jobs, CommitBatch& group);
  bool is_memory_full() const;
  void refuse_for_memory();
  // Uses the log no more.
  void give_up(const std::string& line);
  // Returns false if the log has no room: then nothing of the group counts.
  bool append(std::string_view group);
  // The same, of a commit that was appended, or tried to be.
  bool finish_commit(const AppendResult& result, std::size_t bytes,
                     std::chrono::steady_clock::duration took);
  void account(const Jobs& jobs, const std::vector<bool>& touched);
  void answer(Jobs& jobs);
  // A batch that may be taken elsewhere goes back with its refusal.
  static void give_back(Request& request, WriteAnswer& answer);
  // Writes down that metrics are closed, now and then.
  void close_metrics();
  // Says whether it is closed for so long that what is known of its devices may go.
  bool may_erase(const Metric& metric, std::uint32_t number, Instant now);
  // Makes a season final, which is closed in this period. Returns false if the log has no room.
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
  bool erasing_ = false;                       // when it counts, what is older goes
  std::chrono::steady_clock::time_point last_erasing_{};
  Instant last_recovery_ = {};
  Instant last_closing_ = {};
  std::optional<std::chrono::steady_clock::time_point> remembered_ = {};  // the time
  // When metrics that are over by the wall clock were first seen to be.
  std::map<std::uint32_t, std::chrono::steady_clock::time_point> closed_since_ = {};
  Instant last_memory_ = {};  // told the operator that there is none
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
  std::size_t wake_at_ = 1;  // so many waiting are worth waking up for
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace futurerand
