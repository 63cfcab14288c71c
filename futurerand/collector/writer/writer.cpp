#include "futurerand/collector/writer/writer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace futurerand {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Milliseconds kRecoveryInterval = 1000;
// Publishing copies sums, which are long for long horizons: at most a tenth of the time.
constexpr int kPublicationShare = 10;
// How long to wait for a fuller group, as a share of what writing it takes.
constexpr int kGatherShare = 4;
constexpr std::chrono::milliseconds kMaxAppendCost{20};

}  // namespace

Result<LoadedState> load_state(const HashKey& key, Log& log, Checkpoints& checkpoints) {
  LoadedState loaded{State(key), checkpoints.newest()};
  if (loaded.sequence > 0) {
    if (const Status read = loaded.state.load(checkpoints); !read) return read.error();
  }
  const Status replayed =
      log.replay(loaded.sequence, [&](std::uint64_t sequence, std::string_view group) {
        const Status applied = loaded.state.apply(group);
        if (applied) loaded.sequence = sequence;
        return applied;
      });
  if (!replayed) return replayed.error();
  return loaded;
}

Writer::Writer(const WriterOptions& options, State state, std::uint64_t sequence, Log& log,
               Checkpoints& checkpoints)
    : options_(options),
      state_(std::move(state)),
      sequence_(sequence),
      log_(log),
      checkpoints_(checkpoints),
      lines_(state_.size()),
      unpublished_(state_.size(), true) {
  publish(true);
  thread_ = std::thread([this] { run(); });
}

Writer::~Writer() { stop(); }

void Writer::write(Batch batch, std::uint64_t bytes, WhenWritten when) {
  submit({std::move(batch), bytes, std::move(when)});
}

void Writer::create(MetricDefinition definition, WhenWritten when) {
  submit({std::move(definition), 0, std::move(when)});
}

void Writer::advance(std::uint32_t metric, WhenWritten when) {
  submit({metric, 0, std::move(when)});
}

void Writer::submit(Job job) {
  WriteAnswer refused;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      refused.written = Written::kStopping;
    } else if (waiting_bytes_ + job.bytes > options_.max_waiting_bytes && waiting_bytes_ > 0) {
      refused.written = Written::kBusy;
    } else {
      waiting_bytes_ += job.bytes;
      waiting_.push_back(std::move(job));
      if (waiting_.size() >= wake_at_) wake_.notify_one();
      return;
    }
  }
  job.when(std::move(refused));
}

void Writer::run() {
  std::vector<Job> jobs;
  while (true) {
    // Those who were just answered tend to ask again at once. Waiting for them, for a fraction of
    // what a sync takes, makes one group of them and of those who wait already instead of two.
    const std::size_t answered = jobs.size();
    jobs.clear();
    {
      std::unique_lock lock(mutex_);
      if (waiting_.empty()) {
        lock.unlock();
        publish(true);  // nothing else to do: let readers see it all
        lock.lock();
      }
      const auto enough = [this] { return stopping_ || waiting_.size() >= wake_at_; };
      const std::size_t all = waiting_.size() + answered;
      const auto deadline = SteadyClock::now() + append_cost_ / kGatherShare;
      wake_.wait(lock, enough);
      wake_at_ = all;
      wake_.wait_until(lock, deadline, enough);
      wake_at_ = 1;
      if (waiting_.empty()) break;
      for (std::uint64_t messages = 0;
           !waiting_.empty() && messages < options_.max_group_messages;) {
        if (const auto* batch = std::get_if<Batch>(&waiting_.front().what)) {
          messages += batch->messages.size();
        }
        jobs.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
      }
    }
    process(jobs);
  }
  checkpoint();
}

WriteAnswer Writer::apply(Group& group, Job& job) {
  WriteAnswer answer;
  if (const auto* batch = std::get_if<Batch>(&job.what)) {
    answer.batch = group.add(*batch);
  } else if (auto* definition = std::get_if<MetricDefinition>(&job.what)) {
    const std::uint32_t number = state_.find(definition->name);
    if (number == state_.size()) {
      group.create(std::move(*definition));
      answer.created = true;
    } else if (state_.metric(number).definition->request != definition->request) {
      answer.written = Written::kConflict;
    }
  } else {
    const std::uint32_t number = std::get<std::uint32_t>(job.what);
    const Metric& metric = state_.metric(number);
    if (metric.definition->manual_clock &&
        metric.manual_period < metric.definition->closed_period()) {
      group.advance(number);
    } else {
      answer.written = Written::kConflict;
    }
    answer.period = metric.period_at(options_.now());
  }
  return answer;
}

void Writer::process(std::vector<Job>& jobs) {
  std::vector<WriteAnswer> answers(jobs.size());
  std::uint64_t taken = 0;
  for (const Job& job : jobs) taken += job.bytes;
  const bool room = has_room_ || recover();
  if (room) {
    Group group(state_, options_.now());
    for (std::size_t at = 0; at < jobs.size(); ++at) answers[at] = apply(group, jobs[at]);
    AppendResult appended;
    if (!group.bytes().empty()) {
      const SteadyClock::time_point begin = SteadyClock::now();
      appended = log_.append(sequence_ + 1, group.bytes());
      append_cost_ = std::min<SteadyClock::duration>(SteadyClock::now() - begin, kMaxAppendCost);
    }
    if (appended.appended == Appended::kFailed) {
      options_.die("the log failed: " + appended.message);
      std::abort();
    }
    if (appended.appended == Appended::kNoRoom) {
      group.revert();
      has_room_ = false;
      last_recovery_ = options_.now();
      options_.say("no room for the log: " + appended.message);
    } else {
      if (!group.bytes().empty()) {
        ++sequence_;
        ++num_groups_;
        bytes_since_checkpoint_ += group.bytes().size();
      }
      lines_.resize(state_.size());
      unpublished_.resize(state_.size());
      for (std::size_t metric = 0; metric < group.touched().size(); ++metric) {
        if (group.touched()[metric]) unpublished_[metric] = true;
      }
      for (std::size_t at = 0; at < jobs.size(); ++at) {
        const auto* batch = std::get_if<Batch>(&jobs[at].what);
        if (batch == nullptr) continue;
        LineCounts& lines = lines_[batch->metric];
        const LineCounts& more = answers[at].batch.counts;
        lines.accepted += more.accepted;
        lines.duplicates += more.duplicates;
        lines.rejected += more.rejected + batch->malformed;
        if (more.duplicates + more.rejected + batch->malformed > 0)
          unpublished_[batch->metric] = true;
      }
      // Before the answers: who was answered finds its reports in the sums, unless others wait.
      publish(waiting_bytes_ == taken);
    }
  }
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    if (!has_room_) answers[at] = {Written::kNoRoom, {}, false, 0};
    waiting_bytes_ -= jobs[at].bytes;
    jobs[at].when(std::move(answers[at]));
  }
  // Twice its size: then writing checkpoints costs at most half of what writing the log does.
  if (has_room_ &&
      bytes_since_checkpoint_ > std::max(options_.checkpoint_bytes, 2 * checkpoint_size_)) {
    checkpoint();
  }
}

bool Writer::recover() {
  const Milliseconds now = options_.now();
  if (now - last_recovery_ < kRecoveryInterval) return false;
  last_recovery_ = now;
  if (!log_.recover()) return false;
  // The group that found no room may have become durable after all; it counts if it did.
  const Status replayed =
      log_.replay(sequence_, [&](std::uint64_t sequence, std::string_view group) {
        const Status applied = state_.apply(group);
        if (applied) sequence_ = sequence;
        return applied;
      });
  if (!replayed) {
    options_.die("the log failed: " + replayed.error().message);
    std::abort();
  }
  lines_.resize(state_.size());
  unpublished_.assign(state_.size(), true);
  has_room_ = true;
  options_.say("there is room for the log again");
  return true;
}

void Writer::checkpoint() {
  if (!has_room_ || bytes_since_checkpoint_ == 0) return;
  const Result<std::uint64_t> saved = state_.save(sequence_, checkpoints_);
  bytes_since_checkpoint_ = 0;  // after a failure too: the log still has everything
  if (saved) {
    checkpoint_size_ = *saved;
  } else {
    options_.say(saved.error().message);
  }
}

void Writer::publish(bool now) {
  const bool changed =
      std::find(unpublished_.begin(), unpublished_.end(), true) != unpublished_.end();
  std::shared_ptr<const Snapshot> before = this->snapshot();
  if (before != nullptr && !changed) return;
  const SteadyClock::time_point begin = SteadyClock::now();
  if (!now && begin - last_publication_ < kPublicationShare * publication_cost_) return;

  auto snapshot = std::make_shared<Snapshot>();
  if (before != nullptr) *snapshot = *before;
  snapshot->sequence = sequence_;
  snapshot->metrics.resize(state_.size());
  for (std::uint32_t number = 0; number < state_.size(); ++number) {
    if (!unpublished_[number]) continue;
    const Metric& metric = state_.metric(number);
    const MetricSnapshot* old = snapshot->metrics[number].get();
    snapshot->metrics[number] = std::make_shared<const MetricSnapshot>(MetricSnapshot{
        metric.definition, number, metric.manual_period, metric.fold.sums(),
        metric.fold.num_clients(), old == nullptr ? 1 : old->version + 1, lines_[number]});
  }
  if (snapshot->numbers == nullptr || snapshot->numbers->size() != state_.size()) {
    std::map<std::string, std::uint32_t, std::less<>> numbers;
    for (std::uint32_t number = 0; number < state_.size(); ++number) {
      numbers.emplace(state_.metric(number).definition->name, number);
    }
    snapshot->numbers = std::make_shared<const decltype(numbers)>(std::move(numbers));
  }
  {
    const std::lock_guard lock(snapshot_mutex_);
    snapshot_ = std::move(snapshot);
  }
  before.reset();  // freed here if nobody reads it, not under the lock
  unpublished_.assign(state_.size(), false);
  last_publication_ = SteadyClock::now();
  publication_cost_ = last_publication_ - begin;
}

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace futurerand
