// The writer's work between commits: closing metrics, recovering from a full disk, and checkpoints.
#include <algorithm>
#include <cstdlib>

#include "futurerand/collector/writer/writer.hpp"

namespace futurerand {
namespace {

constexpr std::chrono::seconds kRecoveryInterval{1};
constexpr std::chrono::seconds kClosingInterval{1};
constexpr std::chrono::seconds kRememberInterval{60};
// Between attempts to erase, if the disk fails.
constexpr std::chrono::seconds kErasingInterval{1};

}  // namespace

bool Writer::may_erase(const Metric& metric, std::uint32_t number, Instant now) {
  if (!metric.is_closed(now)) {
    closed_since_.erase(number);
    return false;
  }
  const Clock& clock = metric.definition->clock;
  if (clock.is_manual() && !metric.ended) return true;  // the operator moves it on purpose
  const auto steady = std::chrono::steady_clock::now();
  const auto since = closed_since_.try_emplace(number, steady).first->second;
  // An operator may reopen an operator-ended metric. Here only the steady clock counts.
  const bool long_enough = steady - since >= options_.least_closed();
  if (metric.ended)
    return options_.may_erase_ended ? options_.may_erase_ended(number) : long_enough;
  const std::int64_t closed =
      clock.start + clock.length * (std::int64_t{metric.definition->closed_period()} - 1);
  return now >= Instant(std::chrono::seconds(closed)) + options_.erase_after && long_enough;
}

void Writer::follow_clock(Instant now) {
  if (options_.clock == nullptr) return;
  std::chrono::milliseconds shortest = std::chrono::milliseconds::max();
  for (std::uint32_t number = 0; number < state_.size(); ++number) {
    if (!state_.has(number)) continue;
    const Metric& metric = state_.metric(number);
    const Clock& clock = metric.definition->clock;
    if (clock.is_manual() || metric.is_closed(now)) continue;
    shortest = std::min<std::chrono::milliseconds>(shortest, std::chrono::seconds(clock.length));
  }
  options_.clock->set_tolerance(shortest);
  const auto steady = std::chrono::steady_clock::now();
  if (!options_.remember_time || options_.clock->is_stopped()) return;
  if (remembered_ && steady - *remembered_ < kRememberInterval) return;
  remembered_ = steady;
  const StallWatch::Waiting waiting(stall_);
  options_.remember_time(now);
}

void Writer::close_metrics() {
  const Instant now = options_.now();
  // Not during a checkpoint: all its pieces must contain the same clients.
  if (lost_ || checkpoint_ || !figures_.has_room || now - last_closing_ < kClosingInterval) return;
  last_closing_ = now;
  follow_clock(now);
  for (std::uint32_t number = 0; number < state_.size(); ++number) {
    if (!state_.has(number)) continue;
    const Metric& metric = state_.metric(number);
    const bool is_season = season_named(metric.definition->name).has_value();
    if (metric.fold.dropped_clients() && !is_season) continue;
    if (!may_erase(metric, number, now)) continue;
    CommitBatch group(state_, now);
    const Period period = metric.ended.value_or(metric.definition->closed_period());
    if (is_season) {
      if (!finalize(number, period)) return;
      continue;
    }
    group.close(number, period);
    if (!append(group.bytes())) return;
    state_.close(number, period);
    account({}, group.touched());
    options_.say(Event::kMetricOver, "metric " + metric.definition->name +
                                         " is closed: its sums stay, its device " +
                                         "records are erased");
  }
}

bool Writer::finalize(std::uint32_t number, Period period) {
  const std::string name = state_.metric(number).definition->name;
  const std::uint32_t endless = state_.endless_of(*state_.metric(number).definition);
  std::string group;
  put_record(group, SeasonFinalized{number, state_.final_figures(number, period)});
  if (!append(group)) return false;
  // Uses the same code as replay.
  if (const Status applied = state_.apply(sequence_, group); !applied) {
    options_.die("season " + name + " cannot be made final: " + applied.error().message);
    std::abort();
  }
  closed_since_.erase(number);
  std::vector<bool> touched(state_.size());
  touched[number] = true;
  if (endless != state_.size()) {
    publisher_.pass_lines(number, endless);
    touched[endless] = true;
  }
  account({}, touched);
  options_.say(Event::kMetricOver, "season " + name +
                                       " is final: its figures stay, its device records are "
                                       "erased");
  return true;
}

bool Writer::recover() {
  const Instant now = options_.now();
  if (now - last_recovery_ < kRecoveryInterval) return false;
  last_recovery_ = now;
  if (!log_.recover()) return false;
  // The commit that found no room may be durable after all. If so, it counts.
  std::uint64_t bytes = 0;
  const Status replayed = state_.replay(log_, sequence_, bytes);
  if (!replayed) {
    give_up("the log failed: " + replayed.error().message);
    return false;
  }
  figures_.log_bytes += bytes;
  publisher_.all_changed(state_.size());
  figures_.has_room = true;
  options_.say(Event::kRoomAgain, "there is room for the log again");
  return true;
}

void Writer::checkpoint_if_due() {
  if (checkpoint_) return cut_slice();
  // At twice its size, writing checkpoints costs at most half as much as writing the log.
  const std::uint64_t due = std::max(options_.checkpoint_bytes, 2 * figures_.checkpoint_bytes);
  const std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
  const bool erases = state_.owes_erasure() && now - last_erasing_ >= kErasingInterval;
  if (lost_ || !figures_.has_room || (figures_.log_bytes <= due && !erases)) return;
  if (erases) last_erasing_ = now;
  begin_checkpoint();
}

void Writer::begin_checkpoint() {
  figures_.log_bytes = 0;  // if it fails too: the log still has everything
  const StallWatch::Waiting waiting(stall_);
  Result<StateCheckpoint> begun = StateCheckpoint::begin(state_, checkpoints_, sequence_);
  if (begun) {
    checkpoint_.emplace(*begun);
    erasing_ = state_.take_erased();
  } else {
    options_.say(Event::kCheckpointFailed, "no checkpoint: " + begun.error().message);
  }
}

void Writer::give_up_checkpoint() {
  checkpoint_.reset();
  if (std::exchange(erasing_, false)) state_.owe_erasure();
}

void Writer::cut_slice() {
  if (checkpoints_.is_busy()) return;
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  const StallWatch::Waiting waiting(stall_);
  const Result<bool> done = checkpoint_->cut_slice(sequence_);
  figures_.slices.add(std::chrono::steady_clock::now() - begin);
  if (!done || *done) end_checkpoint(done ? Status() : Status(done.error()));
}

void Writer::cut_rest() {
  if (!checkpoint_) return;
  const StallWatch::Waiting waiting(stall_);
  end_checkpoint(checkpoint_->cut_rest(sequence_));
}

void Writer::end_checkpoint(const Status& done) {
  if (!done) {
    options_.say(Event::kCheckpointFailed, "no checkpoint: " + done.error().message);
    return give_up_checkpoint();
  }
  figures_.checkpoint_bytes = checkpoint_->bytes();
  checkpoint_.reset();
  if (!std::exchange(erasing_, false)) return;
  if (const Status forgotten = checkpoints_.forget_older(); !forgotten) {
    options_.say(Event::kErasureFailed,
                 "erased data may still be on the disk: " + forgotten.error().message);
  }
}

// At the end, takes a checkpoint of anything new, so that the next start is quick.
void Writer::checkpoint_all() {
  cut_rest();
  if (lost_ || !figures_.has_room || (figures_.log_bytes == 0 && !state_.owes_erasure())) return;
  begin_checkpoint();
  cut_rest();
}

}  // namespace futurerand
