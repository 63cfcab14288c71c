#include "futurerand/collector/cluster/shard_lane.hpp"

#include <algorithm>
#include <utility>

#include "futurerand/collector/log/thread_guard.hpp"

namespace futurerand {
namespace {

// One statement takes no more than this, unless it is one group.
constexpr std::size_t kMaxStatementBytes = 8 << 20;
// How long to wait for a fuller round, as a share of what appending one takes.
constexpr int kGatherShare = 4;
// A longer append does not make later rounds wait longer for company.
constexpr std::chrono::milliseconds kMaxAppendCost{20};
// How often writers look at what follows the clock, and not any request.
constexpr std::chrono::milliseconds kTidyInterval{250};
// Shards due this soon are tidied too: all of them in a few turns, not each in its own.
constexpr std::chrono::milliseconds kTidyTogether{100};
// The number of them between two rounds.
constexpr std::size_t kTidiedAtOnce = 8;

}  // namespace

ShardLane::ShardLane(Database& database, std::function<void(const std::string& line)> die)
    : database_(database),
      die_(std::move(die)),
      thread_([this] { work_or_die(die_, "the writer of shards", [this] { run(); }); }) {}

ShardLane::~ShardLane() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

void ShardLane::enter(Seat& seat) {
  const std::lock_guard lock(mutex_);
  seat.entered = true;
  seats_.push_front(&seat);
  queue(seat);
  wake_.notify_one();
}

void ShardLane::leave(Seat& seat) {
  std::unique_lock lock(mutex_);
  seat.entered = false;
  std::erase(seats_, &seat);
  std::erase(waiting_, &seat);
  std::erase(untidy_, &seat);
  rested_.wait(lock, [this, round = rounds_] { return !playing_ || rounds_ != round; });
}

void ShardLane::wake(Seat& seat) {
  const std::lock_guard lock(mutex_);
  queue(seat);
  if (++requests_ >= wake_at_) wake_.notify_one();
}

void ShardLane::queue(Seat& seat) {
  if (!seat.entered || std::exchange(seat.waits, true)) return;
  waiting_.push_back(&seat);
}

void ShardLane::run() {
  for (;;) {
    Seats round;
    Seats tidying;
    {
      std::unique_lock lock(mutex_);
      playing_ = false;
      rested_.notify_all();
      wait(lock);
      if (stopping_) return;
      ++rounds_;
      playing_ = true;
      round.swap(waiting_);
      for (Seat* seat : round) seat->waits = false;
      answered_ = std::exchange(requests_, 0);
      tidying = next_tidying();
    }
    play(round);
    Seats untidy;
    for (Seat* seat : tidying) {
      if (seat->writer->tidy()) untidy.push_back(seat);
    }
    std::erase_if(round, [](Seat* seat) { return !seat->writer->has_waiting(); });
    const std::lock_guard lock(mutex_);
    for (Seat* seat : round) queue(*seat);
    for (Seat* seat : tidying) std::erase(untidy_, seat);
    for (Seat* seat : untidy) {
      if (seat->entered) untidy_.push_front(seat);
    }
  }
}

void ShardLane::wait(std::unique_lock<std::mutex>& lock) {
  const auto enough = [this] { return stopping_ || requests_ >= wake_at_ || !waiting_.empty(); };
  if (enough() && requests_ == 0) return;  // what is left of the last round
  const std::size_t all = requests_ + answered_;
  const auto now = SteadyClock::now();
  auto idle_until = now + kTidyInterval;
  if (!seats_.empty()) idle_until = std::min(idle_until, seats_.front()->tidied + kTidyInterval);
  if (!untidy_.empty()) idle_until = now;
  if (!wake_.wait_until(lock, idle_until, enough) || stopping_) return;
  // Clients with a fresh answer tend to ask again at once. Waiting for them takes a fraction of a
  // commit. It makes one round of old and new requests instead of two.
  wake_at_ = all;
  wake_.wait_until(lock, now + append_cost_ / kGatherShare,
                   [this] { return stopping_ || requests_ >= wake_at_; });
  wake_at_ = 1;
}

ShardLane::Seats ShardLane::next_tidying() {
  Seats tidying;
  if (!untidy_.empty()) tidying.push_back(untidy_.front());
  const auto now = SteadyClock::now();
  const auto due = now - kTidyInterval + kTidyTogether;
  while (tidying.size() < kTidiedAtOnce && !seats_.empty() && seats_.front()->tidied <= due) {
    Seat* seat = seats_.front();
    seat->tidied = now;
    seats_.pop_front();
    seats_.push_back(seat);
    if (std::find(untidy_.begin(), untidy_.end(), seat) == untidy_.end()) tidying.push_back(seat);
  }
  return tidying;
}

void ShardLane::play(const Seats& round) {
  Seats begun;
  std::size_t bytes = 0;
  for (Seat* seat : round) {
    if (!seat->writer->begin()) continue;
    bytes += seat->writer->group().size();
    if (bytes > kMaxStatementBytes && !begun.empty()) {
      append(begun);
      begun.clear();
      bytes = seat->writer->group().size();
    }
    begun.push_back(seat);
  }
  if (!begun.empty()) append(begun);
}

void ShardLane::append(const Seats& begun) {
  // A writer with nothing to append answers from its state. That state may be stale: a process that
  // slept past its lease does not know. So an empty group still confirms the epoch.
  std::vector<ShardGroup> groups;
  for (const Seat* seat : begun) {
    const Writer& writer = *seat->writer;
    groups.push_back(seat->log->next_group(writer.next_sequence(), writer.group()));
  }
  const auto began = SteadyClock::now();
  std::vector<SqlReply> replies;
  {
    const StallWatch::Waiting waiting(stall_);
    replies = append_groups(database_, groups);
  }
  const SteadyClock::duration took = SteadyClock::now() - began;
  append_cost_ = std::min<SteadyClock::duration>(took, kMaxAppendCost);
  for (std::size_t at = 0; at < begun.size(); ++at) {
    begun[at]->writer->end(begun[at]->log->result_of(groups[at], replies[at]), took);
  }
}

}  // namespace futurerand
