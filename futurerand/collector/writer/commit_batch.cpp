#include "futurerand/collector/writer/commit_batch.hpp"

#include <algorithm>
#include <cstdlib>

#include "futurerand/wire/metric_json.hpp"

namespace futurerand {
namespace {

// Far enough ahead to hide a miss, near enough to still be in the cache.
constexpr std::size_t kPrefetch = 8;
// The size of a one-sign report in the log, with a little to spare.
constexpr std::size_t kTypicalMessage = 24;

const ClientId& client_of(const Message& message) {
  return std::visit([](const auto& it) -> const ClientId& { return it.client; }, message);
}

Verdict apply(Fold& fold, const Forget& forget, Period, Forgotten& taken) {
  return fold.apply(forget, taken);
}
// No batch contains a Forgotten. Only the log does.
Verdict apply(Fold&, const Forgotten&, Period, Forgotten&) { std::abort(); }
template <typename Sent>
Verdict apply(Fold& fold, const Sent& sent, Period current, Forgotten&) {
  return fold.apply(sent, current);
}

}  // namespace

void CommitBatch::touch(std::uint32_t metric) {
  if (touched_.size() <= metric) touched_.resize(metric + 1);
  touched_[metric] = true;
}

void CommitBatch::reserve(std::size_t messages) {
  bytes_.reserve(messages * kTypicalMessage);
  applied_.reserve(messages);
}

bool enrols(const Batch& batch, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    const Message& message = batch.message(at);
    // The hash of a forgotten id stays, whether or not the id was known.
    if (std::holds_alternative<Enrolment>(message) || std::holds_alternative<Forget>(message)) {
      return true;
    }
  }
  return false;
}

void merge(ReportAnswer& answer, ReportAnswer more) {
  answer.counts += more.counts;
  for (LineError& error : more.errors) answer.add(std::move(error));
  answer.errors_not_shown += more.errors_not_shown;
}

void CommitBatch::prefetch(const Batch& batch, std::size_t begin, std::size_t end) const {
  if (!state_.has(batch.metric)) return;
  const Fold& fold = state_.metric(batch.metric).fold;
  for (std::size_t at = begin; at < std::min(end, begin + kPrefetch); ++at) {
    fold.prefetch(client_of(batch.message(at)));
  }
}

void CommitBatch::prefetch_early(const Batch& batch, std::size_t begin, std::size_t end) const {
  if (!state_.has(batch.metric)) return;
  const Fold& fold = state_.metric(batch.metric).fold;
  for (std::size_t at = begin; at < std::min(end, begin + 2 * kPrefetch); ++at) {
    fold.prefetch_early(client_of(batch.message(at)));
  }
}

ReportAnswer CommitBatch::add(const Batch& batch, std::size_t begin, std::size_t end) {
  Metric& metric = state_.metric(batch.metric);
  Fold& fold = metric.fold;
  const Period current = metric.current_period(now_);
  const bool closed = metric.is_closed(now_);
  const std::uint64_t max_devices = (metric.definition->max_devices + shards_ - 1) / shards_;
  std::uint64_t devices = closed ? 0 : fold.num_clients() + fold.num_forgotten();
  ReportAnswer answer;
  messages_.clear();
  messages_.reserve((end - begin) * kTypicalMessage);
  // Errors are listed by rising line, even when the list is cut short.
  auto too_long = batch.too_long.begin();
  if (begin > 0) {
    while (too_long != batch.too_long.end() && too_long->first < batch.line(begin - 1)) ++too_long;
  }
  const auto answer_too_long = [&](std::uint32_t before) {
    for (; too_long != batch.too_long.end() && too_long->first < before; ++too_long) {
      ++answer.counts.rejected;
      answer.add({too_long->first, "too_long", closed ? 0 : fold.expected_from(too_long->second),
                  std::string(kTooLongLine)});
    }
  };
  for (std::size_t at = begin; at < end; ++at) {
    if (at + kPrefetch < end) fold.prefetch(client_of(batch.message(at + kPrefetch)));
    answer_too_long(batch.line(at));
    const Message& message = batch.message(at);
    Forgotten taken;
    Verdict verdict =
        closed
            ? Verdict{Outcome::kRejected, Reason::kClosed, 0, 0, 0}
            : std::visit([&](const auto& it) { return apply(fold, it, current, taken); }, message);
    if (verdict.outcome == Outcome::kAccepted) {
      const auto* enrolment = std::get_if<Enrolment>(&message);
      const bool is_new =
          enrolment != nullptr || (std::holds_alternative<Forget>(message) && taken.word == 0);
      if (is_new && ++devices > max_devices) {
        if (enrolment != nullptr) {
          fold.revert(*enrolment);
        } else {
          fold.revert(taken);
        }
        --devices;
        verdict = {Outcome::kRejected, Reason::kTooManyDevices, 0, 0, 0};
      }
    }
    switch (verdict.outcome) {
      case Outcome::kAccepted:
        ++answer.counts.accepted;
        if (const auto* enrolment = std::get_if<Enrolment>(&message)) {
          put_message(messages_, *enrolment);
        } else if (const auto* leave = std::get_if<Leave>(&message)) {
          put_message(messages_, *leave);
        } else if (std::holds_alternative<Forget>(message)) {
          put_message(messages_, taken);
          forgotten_.push_back(std::move(taken));
        } else {
          const auto& report = std::get<Report>(message);
          put_message(messages_, report, fold.index_of(report, verdict.known), verdict.known,
                      verdict.counted);
        }
        applied_.push_back({&batch, static_cast<std::uint32_t>(at), verdict});
        break;
      case Outcome::kDuplicate:
        ++answer.counts.duplicates;
        break;
      case Outcome::kRejected:
        ++(verdict.reason == Reason::kEarly ? answer.counts.early : answer.counts.rejected);
        break;
    }
    if (verdict.reason != Reason::kNone) {
      answer.add({batch.line(at), std::string(name_of(verdict.reason)), verdict.expected, {}});
    }
  }
  if (end == batch.messages.size()) answer_too_long(UINT32_MAX);
  if (answer.counts.accepted > 0) {
    put_record(bytes_, MessagesAccepted{batch.metric, current, messages_});
    touch(batch.metric);
  }
  return answer;
}

void CommitBatch::create(NewMetric metric) {
  put_record(bytes_, MetricCreated{to_json(metric.definition)});
  state_.create(std::move(metric));
  applied_.push_back({nullptr, kCreation, {}});
  touch(state_.size() - 1);
}

void CommitBatch::close(std::uint32_t metric, Period period) {
  put_record(bytes_, MetricEnded{metric, period});
  touch(metric);
}

void CommitBatch::advance(std::uint32_t metric) {
  const Period period = ++state_.metric(metric).manual_period;
  put_record(bytes_, PeriodAdvanced{metric, period});
  applied_.push_back({nullptr, metric, {}});
  touch(metric);
}

void CommitBatch::revert() {
  for (; !applied_.empty(); applied_.pop_back()) {
    const Applied& last = applied_.back();
    if (last.batch != nullptr) {
      Fold& fold = state_.metric(last.batch->metric).fold;
      const Message& message = last.batch->message(last.at);
      if (const auto* enrolment = std::get_if<Enrolment>(&message)) {
        fold.revert(*enrolment);
      } else if (const auto* leave = std::get_if<Leave>(&message)) {
        fold.revert(*leave);
      } else if (std::holds_alternative<Forget>(message)) {
        fold.revert(forgotten_.back());
        forgotten_.pop_back();
      } else {
        fold.revert(std::get<Report>(message), last.verdict);
      }
    } else if (last.at == kCreation) {
      state_.revert_create();
    } else {
      --state_.metric(last.at).manual_period;
    }
  }
  bytes_.clear();
  touched_.clear();
}

}  // namespace futurerand
