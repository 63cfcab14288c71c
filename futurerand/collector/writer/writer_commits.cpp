// How the writer makes one commit: apply, append, account, answer.
#include <algorithm>
#include <cstdlib>

#include "futurerand/collector/writer/writer.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

using CommitClock = std::chrono::steady_clock;

// How often the operator is warned of full memory.
constexpr std::chrono::seconds kMemoryInterval{60};
// A longer append does not make later commits wait longer for company.
constexpr std::chrono::milliseconds kMaxAppendCost{20};

}  // namespace

bool Writer::begin_group() {
  if (taken_.empty()) return false;
  const auto changes_lifecycle = [](const Part& part) {
    return std::holds_alternative<LifecycleChange>(part.request->what);
  };
  auto end = std::find_if(taken_.begin(), taken_.end(), changes_lifecycle);
  const bool is_change = end == taken_.begin();
  if (is_change) ++end;
  begun_.emplace();
  Jobs& jobs = begun_->jobs;
  jobs.reserve(static_cast<std::size_t>(end - taken_.begin()));
  for (auto at = taken_.begin(); at != end; ++at) jobs.push_back({std::move(*at), {}});
  taken_.erase(taken_.begin(), end);
  if (is_change) {
    begin_change(jobs[0]);
  } else if (!lost_ && (figures_.has_room || recover())) {
    CommitBatch& group = begun_->group.emplace(state_, options_.now(), options_.shards);
    std::size_t messages = 0;
    for (const Job& job : jobs) messages += job.end - job.begin;
    group.reserve(messages);
    apply(jobs, group);
  }
  return true;
}

void Writer::begin_change(Job& job) {
  auto& change = std::get<LifecycleChange>(job.request->what);
  JudgedChange judged{Written::kNoRoom, false};
  if (lost_) {
    judged.written = Written::kMoved;
  } else if (figures_.has_room || recover()) {
    judged = judge(change, state_, options_.now(), options_.keeps_log);
  }
  job.answer.written = judged.written;
  if (judged.needed) begun_->change = commit_of(change);
}

void Writer::end_group(bool durable) {
  Jobs& jobs = begun_->jobs;
  const bool is_change = std::holds_alternative<LifecycleChange>(jobs[0].request->what);
  // If there is room, the append failed only to confirm that the log is still ours.
  const Written refused = lost_ || figures_.has_room ? Written::kMoved : Written::kNoRoom;
  if (is_change) {
    if (!durable) {
      jobs[0].answer.written = refused;
    } else if (!begun_->change.empty()) {
      apply_change(jobs[0], begun_->change);
    }
  } else {
    if (durable && begun_->group) account(jobs, begun_->group->touched());
    if (!durable && begun_->group) begun_->group->revert();
    if (!durable || lost_ || !figures_.has_room) {
      for (Job& job : jobs) job.answer = {.written = refused};
    }
  }
  answer(jobs);
  begun_.reset();
}

void Writer::apply_change(const Job& job, const std::string& group) {
  const std::uint32_t number = metric_of(std::get<LifecycleChange>(job.request->what), state_);
  const bool has_seasons = state_.has(number) && state_.metric(number).definition->seasons;
  // Uses the same code as replay.
  if (const Status applied = state_.apply(sequence_, group); !applied) {
    options_.die("a change of a metric cannot be applied: " + applied.error().message);
    std::abort();
  }
  // A checkpoint in progress contains erased metrics and clients.
  if (state_.owes_erasure()) give_up_checkpoint();
  // The seasons of an endless metric go with it.
  std::vector<bool> touched(std::max(state_.size(), number + 1), has_seasons);
  touched[number] = true;
  account(begun_->jobs, touched);
}

void Writer::apply(Jobs& jobs, CommitBatch& group) {
  // Parts may be small. This prefetches memory for the next parts while one is applied.
  const auto part_of = [&](std::size_t at) {
    return at < jobs.size() ? std::get_if<BatchPart>(&jobs[at].request->what) : nullptr;
  };
  const auto prefetch = [&](std::size_t at) {
    const BatchPart* next = part_of(at);
    if (next != nullptr) group.prefetch(*next->batch, jobs[at].begin, jobs[at].end);
  };
  prefetch(0);
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    prefetch(at + 1);
    const BatchPart* later = part_of(at + 2);
    if (later != nullptr) {
      group.prefetch_early(*later->batch, jobs[at + 2].begin, jobs[at + 2].end);
    }
    apply(jobs[at], group);
  }
}

void Writer::apply(Job& job, CommitBatch& group) {
  Request& request = *job.request;
  WriteAnswer& answer = job.answer;
  if (request.answer.written != Written::kDurable) return;  // an earlier part was refused
  if (const auto* part = std::get_if<BatchPart>(&request.what)) {
    const Batch& batch = *part->batch;
    if (!state_.has(batch.metric)) {
      answer.written = Written::kGone;
    } else if (options_.clock != nullptr && options_.clock->is_stopped() &&
               !state_.metric(batch.metric).definition->clock.is_manual()) {
      answer.written = Written::kClock;
    } else if (is_memory_full() && enrols(batch, job.begin, job.end)) {
      answer.written = Written::kNoMemory;
      refuse_for_memory();
    } else {
      answer.batch = group.add(batch, job.begin, job.end);
    }
  } else if (auto* asked = std::get_if<NewMetric>(&request.what)) {
    const std::uint32_t number = state_.find(asked->definition.name);
    // A shard numbers every metric of the catalogue. Elsewhere a season that comes too late would
    // have no metric.
    const bool is_orphan = !options_.lose && season_named(asked->definition.name) &&
                           state_.endless_of(asked->definition) == state_.size();
    if (is_orphan) {
      answer.written = Written::kGone;
    } else if (number == state_.size()) {
      group.create(std::move(*asked));
      answer.created = true;
    } else if (to_request(*state_.metric(number).definition) != to_request(asked->definition)) {
      answer.written = Written::kConflict;
    }
  } else {
    const auto& advance = std::get<AdvanceRequest>(request.what);
    if (!state_.has(advance.metric)) {
      answer.written = Written::kGone;
      return;
    }
    const Metric& metric = state_.metric(advance.metric);
    if (!metric.definition->clock.is_manual() || metric.is_closed(options_.now())) {
      answer.written = Written::kConflict;
    } else if (advance.expected && *advance.expected != metric.manual_period) {
      answer.written = Written::kUnexpected;
    } else {
      group.advance(advance.metric);
    }
    answer.period = metric.current_period(options_.now());
  }
}

bool Writer::is_memory_full() const {
  return std::max(figures_.state_bytes.load(), options_.all_state_bytes()) >=
         options_.max_state_bytes;
}

void Writer::refuse_for_memory() {
  ++figures_.refused_memory;
  const Instant now = options_.now();
  if (last_memory_ != Instant{} && now - last_memory_ < kMemoryInterval) return;
  last_memory_ = now;
  options_.say(Event::kMemoryFull,
               "devices and sums take " + std::to_string(figures_.state_bytes >> 20) +
                   " MiB of memory, the maximum: no device can enrol (" +
                   std::to_string(figures_.refused_memory) + " requests refused so far)");
}

bool Writer::append(std::string_view group) {
  if (lost_) return false;
  const CommitClock::time_point begin = CommitClock::now();
  AppendResult result;
  {
    const StallWatch::Waiting waiting(stall_);
    result = group.empty() ? log_.confirm() : log_.append(sequence_ + 1, group);
  }
  return finish_commit(result, group.size(), CommitClock::now() - begin);
}

bool Writer::finish_commit(const AppendResult& result, std::size_t bytes,
                           CommitClock::duration took) {
  if (bytes == 0) {
    if (result.appended == Appended::kLost && !lost_) give_up("the log failed: " + result.message);
    return result.appended == Appended::kDurable;
  }
  figures_.commits.add(took);
  append_cost_ = std::min<CommitClock::duration>(took, kMaxAppendCost);
  switch (result.appended) {
    case Appended::kDurable:
      ++sequence_;
      ++figures_.groups;
      figures_.log_bytes += bytes;
      rested_ = false;
      return true;
    case Appended::kNoRoom:
      figures_.has_room = false;
      last_recovery_ = options_.now();
      options_.say(Event::kNoRoom, "no room for the log: " + result.message);
      return false;
    case Appended::kLost:
    case Appended::kUnknown:
    case Appended::kFailed:
      give_up("the log failed: " + result.message);
      return false;
  }
  std::abort();
}

void Writer::give_up(const std::string& line) {
  if (!options_.lose) {
    options_.die(line);
    std::abort();
  }
  lost_ = true;
  checkpoint_.reset();
  options_.lose(line);
}

void Writer::account(const Jobs& jobs, const std::vector<bool>& touched) {
  memory_.resize(state_.size());
  std::uint64_t memory = figures_.state_bytes;
  for (std::uint32_t metric = 0; metric < touched.size(); ++metric) {
    if (!touched[metric]) continue;
    publisher_.changed(metric);
    const std::uint64_t bytes = state_.has(metric) ? state_.metric(metric).memory_bytes() : 0;
    memory += bytes - memory_[metric];
    memory_[metric] = bytes;
  }
  figures_.state_bytes = memory;
  std::uint64_t bytes = 0;
  bool of_operator = false;
  for (const Job& job : jobs) {
    const Request& request = *job.request;
    const auto* part = std::get_if<BatchPart>(&request.what);
    if (part == nullptr) {
      of_operator = true;
      continue;
    }
    const Batch& batch = *part->batch;
    if (job.end == part->end) bytes += request.bytes;  // its last one
    LineCounts lines = job.answer.batch.counts;
    if (job.begin == 0) lines.rejected += batch.malformed;
    if (lines.accepted + lines.duplicates + lines.rejected + lines.early > 0 &&
        state_.has(batch.metric)) {
      publisher_.count(batch.metric, lines);
    }
  }
  // Publishes before the answers. Everyone sees the operator's changes at once. Devices find their
  // reports in the sums, unless other requests wait.
  const bool alone = options_.publish_interval.count() == 0 && figures_.waiting_bytes == bytes;
  publisher_.publish(state_, sequence_, of_operator || alone);
}

void Writer::answer(Jobs& jobs) {
  for (Job& job : jobs) {
    Request& request = *job.request;
    WriteAnswer& all = request.answer;
    if (job.answer.written != Written::kDurable) {
      all = std::move(job.answer);
    } else if (all.written == Written::kDurable) {
      all.created = job.answer.created;
      all.period = job.answer.period;
      merge(all.batch, std::move(job.answer.batch));
    }
    if (--request.parts > 0) continue;
    figures_.waiting_bytes -= request.bytes;
    give_back(request, all);
    request.when(std::move(all));
  }
}

void Writer::give_back(Request& request, WriteAnswer& answer) {
  if (answer.written != Written::kMoved && answer.written != Written::kStopping) return;
  auto* part = std::get_if<BatchPart>(&request.what);
  if (part != nullptr) answer.returned = std::move(*part);
}

}  // namespace futurerand
