#include "futurerand/collector/writer/state.hpp"

#include <algorithm>

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
  Fold fold(shared->plan, key_, shared->gone_after > 0);
  metrics_.push_back(std::make_unique<Metric>(Metric{std::move(shared), std::move(fold)}));
}

void State::revert_create() {
  numbers_.erase(metrics_.back()->definition->name);
  metrics_.pop_back();
}

Status State::apply(std::uint64_t sequence, std::string_view group) {
  const Result<std::vector<Record>> records = read_records(group);
  if (!records) return records.error();
  for (const Record& record : *records) {
    if (const Status applied = apply(sequence, record); !applied) return applied;
  }
  return {};
}

Status State::apply(std::uint64_t sequence, const Record& record) {
  if (const auto* created = std::get_if<MetricCreated>(&record)) {
    Result<MetricDefinition> definition = parse_stored_metric(created->definition);
    if (!definition) return definition.error();
    if (find(definition->name) != size()) return Error{"metric " + definition->name + " twice"};
    create(*std::move(definition));
    return {};
  }
  const std::uint32_t number = std::visit(
      [](const auto& it) -> std::uint32_t {
        if constexpr (requires { it.metric; }) return it.metric;
        return 0;
      },
      record);
  if (number >= size()) return Error{"no metric " + std::to_string(number)};
  if (const auto* advanced = std::get_if<PeriodAdvanced>(&record)) {
    metric(number).manual_period = advanced->period;
    return {};
  }
  if (std::holds_alternative<MetricClosed>(record)) {
    metric(number).close();
    return {};
  }
  return apply(sequence, std::get<MessagesAccepted>(record));
}

Status State::apply(std::uint64_t sequence, const MessagesAccepted& accepted) {
  Fold& fold = metric(accepted.metric).fold;
  if (fold.dropped_clients()) return Error{"messages of a metric that is closed"};
  const Cuts* cuts = accepted.metric < cuts_.size() ? &cuts_[accepted.metric] : nullptr;
  MessageReader messages(accepted.bytes);
  for (Message message; messages.next(message);) {
    const bool fits = std::visit(
        [&](const auto& it) {
          Fold::Missing missing;
          if (cuts != nullptr) {
            missing.client = sequence > cuts->clients[ClientTable::shard_of(it.client)];
            missing.sums = sequence > cuts->sums;
          }
          return fold.replay(it, accepted.period, missing);
        },
        message);
    if (!fits) return Error{"a message that was accepted before is not now"};
  }
  if (!messages.ok()) return Error{"a message ends too early"};
  return {};
}

Status State::replay(Log& log, std::uint64_t& sequence, std::uint64_t& bytes) {
  const Status replayed = log.replay(sequence, [&](std::uint64_t number, std::string_view group) {
    const Status applied = apply(number, group);
    if (applied) {
      sequence = number;
      bytes += group.size();
    }
    return applied;
  });
  return replayed;
}

std::uint32_t State::num_pieces() const { return 1 + size() * kPiecesPerMetric; }

std::string State::piece(std::uint32_t number) const {
  if (number > 0) {
    return FoldCheckpoint::save(metric((number - 1) / kPiecesPerMetric).fold,
                                (number - 1) % kPiecesPerMetric);
  }
  std::string list;
  put_varint(list, size());
  for (const auto& metric : metrics_) {
    const std::string text = to_stored_text(*metric->definition);
    put_varint(list, text.size());
    list += text;
    put_varint(list, metric->manual_period);
  }
  return list;
}

Status State::load_list(std::string_view bytes) {
  ByteReader in(bytes);
  const std::uint64_t count = in.varint();
  for (std::uint64_t number = 0; number < count && in.ok(); ++number) {
    Result<MetricDefinition> definition = parse_stored_metric(in.take(in.varint()));
    if (!definition) return definition.error();
    if (find(definition->name) != size()) return Error{"metric " + definition->name + " twice"};
    create(*std::move(definition));
    metrics_.back()->manual_period = in.varint32();
  }
  if (!in.at_end()) return Error{"its list of metrics cannot be read"};
  cuts_.resize(size());
  return {};
}

Result<std::uint64_t> State::load(Checkpoints& checkpoints, std::uint64_t sequence) {
  std::vector<bool> seen;
  std::uint64_t size_of_all = 0;
  const Status read = checkpoints.read(sequence, [&](const CheckpointPiece& piece) -> Status {
    size_of_all += piece.bytes.size();
    if (seen.empty()) {
      if (piece.number != 0) return Error{"its list of metrics is missing"};
      if (const Status listed = load_list(piece.bytes); !listed) return listed;
      seen.resize(num_pieces());
      seen[0] = true;
      return {};
    }
    if (piece.number >= seen.size() || seen[piece.number]) return Error{"a piece too many"};
    if (piece.cut < sequence) return Error{"a piece that is older than it"};
    seen[piece.number] = true;
    const std::uint32_t number = (piece.number - 1) / kPiecesPerMetric;
    const std::uint32_t part = (piece.number - 1) % kPiecesPerMetric;
    (part == 0 ? cuts_[number].sums : cuts_[number].clients[part - 1]) = piece.cut;
    return FoldCheckpoint::load(part, piece.bytes, metric(number).fold);
  });
  if (!read) return read.error();
  if (seen.empty() || std::find(seen.begin(), seen.end(), false) != seen.end()) {
    return Error{"checkpoint " + std::to_string(sequence) + " is damaged: pieces are missing"};
  }
  return size_of_all;
}

std::uint64_t State::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& metric : metrics_) bytes += metric->fold.memory_bytes();
  return bytes;
}

Result<LoadedState> load_state(const HashKey& key, Log& log, Checkpoints& checkpoints,
                               const std::function<void(const std::string&)>& say) {
  LoadedState loaded{State(key)};
  std::string unreadable;
  for (const std::uint64_t sequence : checkpoints.sequences()) {
    const Result<std::uint64_t> bytes = loaded.state.load(checkpoints, sequence);
    if (bytes) {
      loaded.sequence = sequence;
      loaded.checkpoint_bytes = *bytes;
      break;
    }
    unreadable += bytes.error().message + "; ";
    say(bytes.error().message + "; the state is made from what is older, and the log");
    loaded.state = State(key);
  }
  const Status replayed = loaded.state.replay(log, loaded.sequence, loaded.log_bytes);
  if (!replayed) return Error{unreadable + replayed.error().message};
  return loaded;
}

}  // namespace futurerand
