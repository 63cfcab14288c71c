#include "futurerand/collector/writer/group.hpp"

#include "futurerand/wire/stored_metric.hpp"

namespace futurerand {
namespace {

// Far enough ahead to hide a miss, near enough to still be in the cache.
constexpr std::size_t kPrefetch = 8;

const ClientId& client_of(const Message& message) {
  return std::visit([](const auto& it) -> const ClientId& { return it.client; }, message);
}

}  // namespace

void Group::touch(std::uint32_t metric) {
  if (touched_.size() <= metric) touched_.resize(metric + 1);
  touched_[metric] = true;
}

ReportAnswer Group::add(const Batch& batch) {
  Metric& metric = state_.metric(batch.metric);
  Fold& fold = metric.fold;
  const Period current = metric.period_at(now_);
  const bool closed = current >= metric.definition->closed_period();
  ReportAnswer answer;
  messages_.clear();
  const std::size_t size = batch.messages.size();
  for (std::size_t at = 0; at < std::min(size, kPrefetch); ++at) {
    fold.prefetch(client_of(batch.messages[at]));
  }
  for (std::size_t at = 0; at < size; ++at) {
    if (at + kPrefetch < size) fold.prefetch(client_of(batch.messages[at + kPrefetch]));
    const Message& message = batch.messages[at];
    const Verdict verdict =
        closed ? Verdict{Outcome::kRejected, Reason::kClosed, 0, 0, 0}
               : std::visit([&](const auto& it) { return fold.apply(it, current); }, message);
    switch (verdict.outcome) {
      case Outcome::kAccepted:
        ++answer.counts.accepted;
        if (const auto* enrolment = std::get_if<Enrolment>(&message)) {
          put_message(messages_, *enrolment);
        } else {
          const auto& report = std::get<Report>(message);
          const std::string_view new_signs =
              std::string_view(report.signs).substr(verdict.known, verdict.counted);
          put_message(messages_, report.client, fold.index_of(report, verdict.known), new_signs);
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
      answer.errors.push_back(
          {batch.lines[at], std::string(name_of(verdict.reason)), verdict.expected, {}});
    }
  }
  if (answer.counts.accepted > 0) {
    put_record(bytes_, MessagesAccepted{batch.metric, current, messages_});
    touch(batch.metric);
  }
  return answer;
}

void Group::create(MetricDefinition definition) {
  put_record(bytes_, MetricCreated{to_stored_text(definition)});
  state_.create(std::move(definition));
  applied_.push_back({nullptr, kCreation, {}});
  touch(state_.size() - 1);
}

void Group::advance(std::uint32_t metric) {
  const Period period = ++state_.metric(metric).manual_period;
  put_record(bytes_, PeriodAdvanced{metric, period});
  applied_.push_back({nullptr, metric, {}});
  touch(metric);
}

void Group::revert() {
  for (; !applied_.empty(); applied_.pop_back()) {
    const Applied& last = applied_.back();
    if (last.batch != nullptr) {
      Fold& fold = state_.metric(last.batch->metric).fold;
      const Message& message = last.batch->messages[last.at];
      if (const auto* enrolment = std::get_if<Enrolment>(&message)) {
        fold.revert(*enrolment);
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
