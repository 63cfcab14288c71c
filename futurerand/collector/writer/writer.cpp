// The queue of requests, and the writer's thread. For commits see writer_commits.cpp.
#include "futurerand/collector/writer/writer.hpp"

#include <algorithm>
#include <utility>

#include "futurerand/collector/log/thread_guard.hpp"

namespace futurerand {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kIdleInterval{1};
// How soon to look again whether the disk takes more of a checkpoint.
constexpr std::chrono::milliseconds kDiskInterval{1};
// How long to wait for a fuller commit, as a share of the time of an append.
constexpr int kGatherShare = 4;
// A metric's maximum cost per turn, in bytes of requests.
constexpr std::uint64_t kTurnBytes = 64 << 10;
// The operator's requests have their own queue.
constexpr std::uint32_t kOperator = UINT32_MAX;

}  // namespace

Writer::Writer(const WriterOptions& options, LoadedState loaded, Log& log, Checkpoints& checkpoints)
    : options_(options),
      state_(std::move(loaded.state)),
      sequence_(loaded.sequence),
      log_(log),
      checkpoints_(checkpoints),
      publisher_(options.publish_interval),
      waiting_(kTurnBytes) {
  figures_.log_bytes = loaded.log_bytes;
  figures_.checkpoint_bytes = loaded.checkpoint_bytes;
  figures_.state_bytes = state_.memory_bytes();
  for (std::uint32_t number = 0; number < state_.size(); ++number) {
    memory_.push_back(state_.has(number) ? state_.metric(number).memory_bytes() : 0);
  }
  publisher_.all_changed(state_.size());
  publisher_.publish(state_, sequence_, true);
  if (options_.wake) return;
  thread_ = std::thread([this] { work_or_die(options_.die, "the writer", [this] { run(); }); });
}

Writer::~Writer() { stop(); }

void Writer::write(BatchPart part, std::uint64_t bytes, WhenWritten when) {
  const std::uint32_t metric = part.batch->metric;
  submit(metric, {std::move(part), bytes, std::move(when)});
}

void Writer::create(MetricDefinition definition, WhenWritten when) {
  submit(kOperator, {NewMetric(std::move(definition)), 0, std::move(when)});
}

void Writer::advance(const AdvanceRequest& advance, WhenWritten when) {
  submit(kOperator, {advance, 0, std::move(when)});
}

void Writer::change(LifecycleChange change, WhenWritten when) {
  submit(kOperator, {std::move(change), 0, std::move(when)});
}

void Writer::submit(std::uint32_t owner, Request request) {
  WriteAnswer refused;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      refused.written = Written::kStopping;
    } else if (figures_.waiting_bytes + request.bytes > options_.max_waiting_bytes &&
               figures_.waiting_bytes > 0) {
      refused.written = Written::kBusy;
    } else {
      figures_.waiting_bytes += request.bytes;
      const auto* batch = std::get_if<BatchPart>(&request.what);
      const std::size_t begin = batch == nullptr ? 0 : batch->begin;
      const std::size_t end = batch == nullptr ? 0 : batch->end;
      const std::size_t each = options_.max_part_messages;
      request.parts = std::max<std::size_t>(1, (end - begin + each - 1) / each);
      const std::uint64_t cost = request.bytes / request.parts;
      const auto shared = std::make_shared<Request>(std::move(request));
      for (std::size_t part = 0; part < shared->parts; ++part) {
        const std::size_t at = begin + part * each;
        waiting_.push(owner, cost, {shared, at, std::min(at + each, end)});
      }
      if (options_.wake) {
        options_.wake();
      } else if (waiting_.size() >= wake_at_) {
        wake_.notify_one();
      }
      return;
    }
  }
  give_back(request, refused);
  request.when(std::move(refused));
}

void Writer::run() {
  std::size_t answered = 0;
  while (!is_over()) {
    taken_ = next_parts(answered);
    answered = taken_.size();
    while (begin_group()) end_group(append(begun_->bytes()));
    (void)tidy();
  }
  checkpoint_all();
}

bool Writer::begin() {
  if (taken_.empty()) {
    const std::lock_guard lock(mutex_);
    taken_ = waiting_.take(options_.max_group_bytes);
  }
  return begin_group();
}

void Writer::end(const AppendResult& result, SteadyClock::duration took) {
  end_group(finish_commit(result, group().size(), took));
}

bool Writer::has_waiting() {
  const std::lock_guard lock(mutex_);
  return !taken_.empty() || !waiting_.empty();
}

bool Writer::tidy() {
  const SteadyClock::time_point begin = SteadyClock::now();
  close_metrics();
  checkpoint_if_due();
  // Needed even without requests: a load balancer sends nothing to a collector until it is ready.
  if (!figures_.has_room) (void)recover();
  if (options_.wake) publisher_.publish(state_, sequence_, false);
  figures_.pauses.add(SteadyClock::now() - begin);
  return checkpoint_.has_value();
}

bool Writer::is_over() {
  const std::lock_guard lock(mutex_);
  return stopping_ && waiting_.empty();
}

Writer::Parts Writer::next_parts(std::size_t answered) {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) {
    lock.unlock();
    publisher_.publish(state_, sequence_, true);  // nothing else to do: let readers see it all
    lock.lock();
  }
  const auto enough = [this] { return stopping_ || waiting_.size() >= wake_at_; };
  const std::size_t all = waiting_.size() + answered;
  const auto deadline = SteadyClock::now() + append_cost_ / kGatherShare;
  // A checkpoint in progress and departed devices are handled in idle time.
  const bool busy = checkpoint_.has_value();
  const bool waits = busy && checkpoints_.is_busy();
  const SteadyClock::duration idle = waits  ? SteadyClock::duration(kDiskInterval)
                                     : busy ? SteadyClock::duration::zero()
                                            : SteadyClock::duration(kIdleInterval);
  if (!wake_.wait_for(lock, idle, enough)) {
    lock.unlock();
    if (!busy && !rested_) {
      const StallWatch::Waiting waiting(stall_);
      log_.rest();
      rested_ = true;
    }
    return {};
  }
  // Just-answered clients tend to send again at once. A short wait for them, a fraction of a sync,
  // puts them and the waiting requests in one commit instead of two.
  wake_at_ = all;
  wake_.wait_until(lock, deadline, enough);
  wake_at_ = 1;
  return waiting_.take(options_.max_group_bytes);
}

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) {
    thread_.join();
  } else if (options_.wake && !std::exchange(finished_, true)) {
    while (begin_group()) end_group(append(begun_->bytes()));
    run();
  }
}

}  // namespace futurerand
