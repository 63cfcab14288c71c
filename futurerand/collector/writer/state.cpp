#include "futurerand/collector/writer/state.hpp"

#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/wire/stored_metric.hpp"

namespace futurerand {
namespace {

// Pieces of a checkpoint: 0 lists the metrics; then those of each metric's fold.
constexpr auto kPiecesPerMetric = static_cast<std::uint32_t>(FoldCheckpoint::num_pieces());

}  // namespace

std::uint32_t State::find(const std::string& name) const {
  const auto at = numbers_.find(name);
  return at == numbers_.end() ? size() : at->second;
}

void State::create(MetricDefinition definition) {
  numbers_.emplace(definition.name, size());
  auto shared = std::make_shared<const MetricDefinition>(std::move(definition));
  Fold fold(shared->plan, key_);
  metrics_.push_back(std::make_unique<Metric>(Metric{std::move(shared), std::move(fold)}));
}

void State::revert_create() {
  numbers_.erase(metrics_.back()->definition->name);
  metrics_.pop_back();
}

Status State::apply(std::string_view group) {
  const Result<std::vector<Record>> records = read_records(group);
  if (!records) return records.error();
  for (const Record& record : *records) {
    if (const Status applied = apply(record); !applied) return applied;
  }
  return {};
}

Status State::apply(const Record& record) {
  if (const auto* created = std::get_if<MetricCreated>(&record)) {
    Result<MetricDefinition> definition = parse_stored_metric(created->definition);
    if (!definition) return definition.error();
    if (find(definition->name) != size()) return Error{"metric " + definition->name + " twice"};
    create(*std::move(definition));
    return {};
  }
  if (const auto* advanced = std::get_if<PeriodAdvanced>(&record)) {
    if (advanced->metric >= size()) return Error{"no metric " + std::to_string(advanced->metric)};
    metric(advanced->metric).manual_period = advanced->period;
    return {};
  }
  const auto& accepted = std::get<MessagesAccepted>(record);
  if (accepted.metric >= size()) return Error{"no metric " + std::to_string(accepted.metric)};
  Fold& fold = metric(accepted.metric).fold;
  MessageReader messages(accepted.bytes);
  for (Message message; messages.next(message);) {
    const Verdict verdict =
        std::visit([&](const auto& it) { return fold.apply(it, accepted.period); }, message);
    if (verdict.outcome != Outcome::kAccepted || verdict.known != 0 ||
        verdict.reason != Reason::kNone) {
      return Error{"a message that was accepted before is not now: " +
                   std::string(name_of(verdict.reason))};
    }
  }
  if (!messages.ok()) return Error{"a message ends too early"};
  return {};
}

Status State::replay(Log& log, std::uint64_t& sequence) {
  return log.replay(sequence, [&](std::uint64_t number, std::string_view group) {
    const Status applied = apply(group);
    if (applied) sequence = number;
    return applied;
  });
}

Result<std::uint64_t> State::save(std::uint64_t sequence, Checkpoints& checkpoints) const {
  std::string list;
  put_varint(list, size());
  for (const auto& metric : metrics_) {
    const std::string text = to_stored_text(*metric->definition);
    put_varint(list, text.size());
    list += text;
    put_varint(list, metric->manual_period);
  }
  std::uint64_t bytes = list.size();
  if (const Status put = checkpoints.put(sequence, 0, list); !put) return put.error();
  for (std::uint32_t number = 0; number < size(); ++number) {
    for (std::uint32_t piece = 0; piece < kPiecesPerMetric; ++piece) {
      const std::string saved = FoldCheckpoint::save(metrics_[number]->fold, piece);
      bytes += saved.size();
      const std::uint32_t at = 1 + number * kPiecesPerMetric + piece;
      if (const Status put = checkpoints.put(sequence, at, saved); !put) return put.error();
    }
  }
  if (const Status committed = checkpoints.commit(sequence); !committed) return committed.error();
  return bytes;
}

Status State::load(Checkpoints& checkpoints) {
  std::uint32_t expected = 0;
  const Status read = checkpoints.read([&](std::uint32_t piece, std::string_view bytes) -> Status {
    if (piece != expected++) return Error{"damaged checkpoint: a piece is missing"};
    if (piece > 0) {
      const std::uint32_t number = (piece - 1) / kPiecesPerMetric;
      if (number >= size()) return Error{"damaged checkpoint: a piece too many"};
      return FoldCheckpoint::load((piece - 1) % kPiecesPerMetric, bytes, metric(number).fold);
    }
    ByteReader in(bytes);
    const std::uint64_t count = in.varint();
    for (std::uint64_t number = 0; number < count && in.ok(); ++number) {
      Result<MetricDefinition> definition = parse_stored_metric(in.take(in.varint()));
      if (!definition) return definition.error();
      create(*std::move(definition));
      metrics_.back()->manual_period = in.varint32();
    }
    if (!in.at_end()) return Error{"damaged checkpoint: its list of metrics"};
    return {};
  });
  if (!read) return read;
  if (expected != 1 + size() * kPiecesPerMetric) {
    return Error{"damaged checkpoint: pieces are missing"};
  }
  return {};
}

Result<LoadedState> load_state(const HashKey& key, Log& log, Checkpoints& checkpoints) {
  LoadedState loaded{State(key), checkpoints.newest()};
  if (loaded.sequence > 0) {
    if (const Status read = loaded.state.load(checkpoints); !read) return read.error();
  }
  if (const Status replayed = loaded.state.replay(log, loaded.sequence); !replayed) {
    return replayed.error();
  }
  return loaded;
}

}  // namespace futurerand
