#include "futurerand/collector/writer/writer.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace futurerand {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kRecoveryInterval{1};
// How long to wait for a fuller group, as a share of what writing it takes.
constexpr int kGatherShare = 4;
constexpr std::chrono::milliseconds kMaxAppendCost{20};

}  // namespace

Writer::Writer(const WriterOptions& options, State state, std::uint64_t sequence, Log& log,
               Checkpoints& checkpoints)
    : options_(options),
      state_(std::move(state)),
      sequence_(sequence),
      log_(log),
      checkpoints_(checkpoints) {
  publisher_.all_changed(state_.size());
  publisher_.publish(state_, sequence_, true);
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
  std::size_t answered = 0;
  while (true) {
    Jobs jobs = next_jobs(answered);
    if (jobs.empty()) break;
    process(jobs);
    answered = jobs.size();
  }
  checkpoint();
}

Writer::Jobs Writer::next_jobs(std::size_t answered) {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) {
    lock.unlock();
    publisher_.publish(state_, sequence_, true);  // nothing else to do: let readers see it all
    lock.lock();
  }
  // Those who were just answered tend to ask again at once. Waiting for them, for a fraction of
  // what a sync takes, makes one group of them and of those who wait already instead of two.
  const auto enough = [this] { return stopping_ || waiting_.size() >= wake_at_; };
  const std::size_t all = waiting_.size() + answered;
  const auto deadline = SteadyClock::now() + append_cost_ / kGatherShare;
  wake_.wait(lock, enough);
  wake_at_ = all;
  wake_.wait_until(lock, deadline, enough);
  wake_at_ = 1;
  Jobs jobs;
  for (std::uint64_t messages = 0; !waiting_.empty() && messages < options_.max_group_messages;) {
    if (const auto* batch = std::get_if<Batch>(&waiting_.front().what)) {
      messages += batch->messages.size();
    }
    jobs.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return jobs;
}

void Writer::process(Jobs& jobs) {
  Answers answers;
  if (has_room_ || recover()) {
    Group group(state_, options_.now());
    answers = apply(jobs, group);
    if (append(group)) {
      account(jobs, group, answers);
    } else {
      group.revert();
    }
  }
  if (!has_room_) answers.assign(jobs.size(), {.written = Written::kNoRoom});
  answer(jobs, std::move(answers));
  checkpoint_if_due();
}

Writer::Answers Writer::apply(Jobs& jobs, Group& group) {
  Answers answers;
  answers.reserve(jobs.size());
  for (Job& job : jobs) answers.push_back(apply(job, group));
  return answers;
}

WriteAnswer Writer::apply(Job& job, Group& group) {
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

bool Writer::append(const Group& group) {
  if (group.bytes().empty()) return true;
  const SteadyClock::time_point begin = SteadyClock::now();
  const AppendResult result = log_.append(sequence_ + 1, group.bytes());
  append_cost_ = std::min<SteadyClock::duration>(SteadyClock::now() - begin, kMaxAppendCost);
  switch (result.appended) {
    case Appended::kDurable:
      ++sequence_;
      ++num_groups_;
      bytes_since_checkpoint_ += group.bytes().size();
      return true;
    case Appended::kNoRoom:
      has_room_ = false;
      last_recovery_ = options_.now();
      options_.say("no room for the log: " + result.message);
      return false;
    case Appended::kFailed:
      options_.die("the log failed: " + result.message);
  }
  std::abort();
}

void Writer::account(const Jobs& jobs, const Group& group, const Answers& answers) {
  for (std::uint32_t metric = 0; metric < group.touched().size(); ++metric) {
    if (group.touched()[metric]) publisher_.changed(metric);
  }
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    bytes += jobs[at].bytes;
    const auto* batch = std::get_if<Batch>(&jobs[at].what);
    if (batch == nullptr) continue;
    LineCounts lines = answers[at].batch.counts;
    lines.rejected += batch->malformed;
    if (lines.accepted + lines.duplicates + lines.rejected > 0) {
      publisher_.count(batch->metric, lines);
    }
  }
  // Before the answers: who was answered finds its reports in the sums, unless others wait.
  publisher_.publish(state_, sequence_, waiting_bytes_ == bytes);
}

void Writer::answer(Jobs& jobs, Answers answers) {
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    waiting_bytes_ -= jobs[at].bytes;
    jobs[at].when(std::move(answers[at]));
  }
}

bool Writer::recover() {
  const Instant now = options_.now();
  if (now - last_recovery_ < kRecoveryInterval) return false;
  last_recovery_ = now;
  if (!log_.recover()) return false;
  // The group that found no room may have become durable after all; it counts if it did.
  const Status replayed = state_.replay(log_, sequence_);
  if (!replayed) {
    options_.die("the log failed: " + replayed.error().message);
    std::abort();
  }
  publisher_.all_changed(state_.size());
  has_room_ = true;
  options_.say("there is room for the log again");
  return true;
}

void Writer::checkpoint_if_due() {
  // Twice its size: then writing checkpoints costs at most half of what writing the log does.
  if (bytes_since_checkpoint_ > std::max(options_.checkpoint_bytes, 2 * checkpoint_size_)) {
    checkpoint();
  }
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

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace futurerand
