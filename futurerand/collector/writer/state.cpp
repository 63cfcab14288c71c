#include "futurerand/collector/writer/state.hpp"

#include <algorithm>

#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/wire/metric_json.hpp"

namespace futurerand {
namespace {

// Pieces of a checkpoint: 0 lists the metrics; then those of each metric's fold.
constexpr auto kPiecesPerMetric = static_cast<std::uint32_t>(FoldCheckpoint::num_pieces());

std::string save_sums(const Metric& metric) {
  const MetricDefinition& definition = *metric.definition;
  if (!definition.seasons) return FoldCheckpoint::save(metric.fold, 0);
  return endless_sums(definition.plan, metric.fold, metric.final_seasons);
}

Status load_sums(std::string_view bytes, Metric& metric) {
  const MetricDefinition& definition = *metric.definition;
  if (!definition.seasons) return FoldCheckpoint::load(0, bytes, metric.fold);
  Result<FinalSeasons> seasons = load_endless_sums(definition.plan, bytes, metric.fold);
  if (!seasons) return seasons.error();
  metric.final_seasons = *std::move(seasons);
  return {};
}

// Flags of a metric's lifecycle in piece 0.
constexpr std::uint64_t kEndedFlag = 1;
constexpr std::uint64_t kArchivedFlag = 2;
constexpr std::uint64_t kCandidatesFlag = 4;
constexpr std::uint64_t kAnnotationsFlag = 8;

}  // namespace

std::uint32_t State::find(const std::string& name) const {
  const auto at = numbers_.find(name);
  return at == numbers_.end() ? size() : at->second;
}

void State::create(NewMetric metric) {
  numbers_.emplace(metric.definition.name, size());
  auto shared = std::make_shared<const MetricDefinition>(std::move(metric.definition));
  Fold fold(shared->plan, key_, std::move(metric.presence));
  metrics_.push_back(std::make_unique<Metric>(Metric{{std::move(shared)}, std::move(fold)}));
  ++names_version_;
}

Status State::create(std::string_view definition) {
  Result<MetricDefinition> metric = parse_metric(definition);
  if (!metric) return metric.error();
  if (find(metric->name) != size()) return Error{"metric " + metric->name + " twice"};
  create(*std::move(metric));
  return {};
}

void State::close(std::uint32_t number, Period period) {
  metric(number).close(period);
  erased_ = true;
}

std::uint32_t State::endless_of(const MetricDefinition& season) const {
  const std::optional<SeasonName> name = season_named(season.name);
  const std::uint32_t number = name ? find(name->metric) : size();
  if (number == size()) return number;
  const MetricDefinition& endless = *metric(number).definition;
  return endless.seasons && endless.sources == season.sources ? number : size();
}

std::vector<std::uint32_t> State::seasons_of(const MetricDefinition& metric) const {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; number < size(); ++number) {
    if (!has(number)) continue;
    const MetricDefinition& season = *metrics_[number]->definition;
    const std::optional<SeasonName> name = season_named(season.name);
    if (name && name->metric == metric.name && season.sources == metric.sources) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

// When an endless metric ends, so do its seasons.
void State::end(const MetricEnded& ended) {
  Metric& ending = metric(ended.metric);
  ending.ended = ended.period;
  if (const auto& seasons = ending.definition->seasons) {
    for (const std::uint32_t number : seasons_of(*ending.definition)) {
      Metric& season = metric(number);
      const std::int64_t first = seasons->first(season_named(season.definition->name)->season);
      if (season.ended) continue;
      season.ended = static_cast<Period>(std::clamp<std::int64_t>(
          std::int64_t{ended.period} - first + 1, 0, season.definition->closed_period()));
    }
  }
  if (!ended.keeps_devices) close(ended.metric, ended.period);
}

Status State::reopen(std::uint32_t number) {
  Metric& reopened = metric(number);
  if (reopened.fold.dropped_clients()) return Error{"a metric without devices is reopened"};
  reopened.ended.reset();
  if (!reopened.definition->seasons) return {};
  for (const std::uint32_t season : seasons_of(*reopened.definition)) {
    if (metric(season).ended_early()) metric(season).ended.reset();
  }
  return {};
}

std::string State::final_figures(std::uint32_t number, Period period) const {
  const Metric& season = metric(number);
  const MetricDefinition& definition = *season.definition;
  if (season.fold.num_clients() == 0) return "";
  const Folded folded{season.fold.sums(), season.fold.presence(), period};
  return to_bytes(
      definition.plan,
      FinalSeason{season.fold.sums(), std::make_shared<const Panel>(panel_of(
                                          definition.plan, folded, definition.inactive_after))});
}

Status State::apply(const SeasonFinalized& finalized) {
  const MetricDefinition& definition = *metric(finalized.metric).definition;
  const std::optional<SeasonName> name = season_named(definition.name);
  if (!name) return Error{"metric " + std::to_string(finalized.metric) + " is no season"};
  const std::uint32_t endless = endless_of(definition);
  if (!finalized.figures.empty() && endless != size()) {
    Metric& whole = metric(endless);
    Result<FinalSeason> season = parse_final_season(whole.definition->plan, finalized.figures);
    if (!season) return season.error();
    // A folder imported from a cluster may already contain a part of the season, from other
    // devices.
    add(whole.definition->plan, whole.final_seasons,
        {{name->season, std::make_shared<const FinalSeason>(*std::move(season))}});
  }
  erase(finalized.metric);
  return {};
}

void State::erase(std::uint32_t number) {
  if (metric(number).definition->seasons) {
    for (const std::uint32_t season : seasons_of(*metric(number).definition)) erase(season);
  }
  numbers_.erase(metric(number).definition->name);
  metrics_[number].reset();
  ++names_version_;
  erased_ = true;
}

void State::revert_create() {
  numbers_.erase(metrics_.back()->definition->name);
  metrics_.pop_back();
  ++names_version_;
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
    return create(std::string_view(created->definition));
  }
  if (const auto* imported = std::get_if<MetricImported>(&record)) return apply(*imported);
  const std::uint32_t number = std::visit(
      [](const auto& it) -> std::uint32_t {
        if constexpr (requires { it.metric; }) return it.metric;
        return 0;
      },
      record);
  if (!has(number)) return Error{"no metric " + std::to_string(number)};
  if (const auto* advanced = std::get_if<PeriodAdvanced>(&record)) {
    metric(number).manual_period = advanced->period;
    return {};
  }
  if (const auto* ended = std::get_if<MetricEnded>(&record)) {
    end(*ended);
    return {};
  }
  if (std::holds_alternative<MetricReopened>(record)) return reopen(number);
  if (const auto* finalized = std::get_if<SeasonFinalized>(&record)) return apply(*finalized);
  if (const auto* added = std::get_if<CandidatesAdded>(&record)) {
    const std::vector<std::string> texts = from_lines(added->lines);
    std::vector<std::string>& all = metric(number).candidates;
    all.insert(all.end(), texts.begin(), texts.end());
    return {};
  }
  if (const auto* annotated = std::get_if<MetricAnnotated>(&record)) {
    for (const Annotation& one : annotations_from_lines(annotated->line)) {
      Result<std::vector<Annotation>> all = annotate(metric(number).annotations, one);
      if (!all) return all.error();
      metric(number).annotations = *std::move(all);
    }
    return {};
  }
  if (const auto* archived = std::get_if<MetricArchived>(&record)) {
    metric(number).archived = archived->archived;
    return {};
  }
  if (std::holds_alternative<MetricDeleted>(record)) {
    erase(number);
    return {};
  }
  return apply(sequence, std::get<MessagesAccepted>(record));
}

Status State::apply(const MetricImported& imported) {
  if (const Status created = create(std::string_view(imported.definition)); !created) {
    return created;
  }
  Metric& metric = *metrics_.back();
  metric.ended = imported.period;
  metric.annotations = annotations_from_lines(imported.annotations);
  if (const Status loaded = load_sums(imported.sums, metric); !loaded) return loaded;
  if (!metric.fold.dropped_clients()) return Error{"imported sums without enrolments"};
  return {};
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
            missing.client = sequence > cuts->clients[fold.shard_of(it.client)];
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

bool State::has_piece(std::uint32_t number) const {
  return number == 0 || has((number - 1) / kPiecesPerMetric);
}

std::string State::piece(std::uint32_t number) const {
  if (number > 0) {
    const Metric& one = metric((number - 1) / kPiecesPerMetric);
    const std::uint32_t part = (number - 1) % kPiecesPerMetric;
    return part == 0 ? save_sums(one) : FoldCheckpoint::save(one.fold, part);
  }
  std::string list;
  put_word(list, key_.first);
  put_word(list, key_.second);
  put_varint(list, size());
  for (const auto& metric : metrics_) {
    const std::string text = metric == nullptr ? "" : to_json(*metric->definition);
    put_varint(list, text.size());
    list += text;
    if (metric == nullptr) continue;
    put_varint(list, metric->manual_period);
    put_varint(list, (metric->ended ? kEndedFlag : 0) | (metric->archived ? kArchivedFlag : 0) |
                         (metric->candidates.empty() ? 0 : kCandidatesFlag) |
                         (metric->annotations.empty() ? 0 : kAnnotationsFlag));
    if (metric->ended) put_varint(list, *metric->ended);
    if (!metric->candidates.empty()) {
      const std::string lines = to_lines(metric->candidates);
      put_varint(list, lines.size());
      list += lines;
    }
    if (!metric->annotations.empty()) {
      const std::string lines = to_lines(metric->annotations);
      put_varint(list, lines.size());
      list += lines;
    }
  }
  return list;
}

Status State::load_list(std::string_view bytes) {
  ByteReader in(bytes);
  key_.first = in.word();
  key_.second = in.word();
  const std::uint64_t count = in.varint();
  for (std::uint64_t number = 0; number < count && in.ok(); ++number) {
    const std::string_view text = in.take(in.varint());
    if (in.ok() && text.empty()) {
      metrics_.push_back(nullptr);
      continue;
    }
    if (const Status created = create(text); !created) return created;
    Metric& metric = *metrics_.back();
    metric.manual_period = in.varint32();
    const std::uint64_t flags = in.varint();
    if (flags > (kEndedFlag | kArchivedFlag | kCandidatesFlag | kAnnotationsFlag))
      return Error{"its list of metrics cannot be read"};
    metric.archived = (flags & kArchivedFlag) != 0;
    if ((flags & kEndedFlag) != 0) metric.ended = in.varint32();
    if ((flags & kCandidatesFlag) != 0) metric.candidates = from_lines(in.take(in.varint()));
    if ((flags & kAnnotationsFlag) != 0) {
      metric.annotations = annotations_from_lines(in.take(in.varint()));
    }
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
      for (std::uint32_t number = 0; number < num_pieces(); ++number) {
        seen[number] = number == 0 || !has_piece(number);
      }
      return {};
    }
    if (piece.number >= seen.size() || seen[piece.number]) return Error{"a piece too many"};
    if (piece.cut < sequence) return Error{"a piece that is older than it"};
    seen[piece.number] = true;
    const std::uint32_t number = (piece.number - 1) / kPiecesPerMetric;
    const std::uint32_t part = (piece.number - 1) % kPiecesPerMetric;
    (part == 0 ? cuts_[number].sums : cuts_[number].clients[part - 1]) = piece.cut;
    return part == 0 ? load_sums(piece.bytes, metric(number))
                     : FoldCheckpoint::load(part, piece.bytes, metric(number).fold);
  });
  if (!read) return read.error();
  if (seen.empty() || std::find(seen.begin(), seen.end(), false) != seen.end()) {
    return Error{"checkpoint " + std::to_string(sequence) + " is damaged: pieces are missing"};
  }
  return size_of_all;
}

std::uint64_t State::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& metric : metrics_) bytes += metric == nullptr ? 0 : metric->memory_bytes();
  return bytes;
}

std::uint64_t Metric::memory_bytes() const {
  std::uint64_t bytes = fold.memory_bytes();
  for (const auto& [number, season] : final_seasons) {
    bytes += season->memory_bytes();
  }
  return bytes;
}

Result<LoadedState> load_state(const HashKey& key, Log& log, Checkpoints& checkpoints,
                               const Say& say) {
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
    say(Event::kCheckpointUnreadable,
        bytes.error().message + "; an older checkpoint and the log are used");
    loaded.state = State(key);
  }
  const Status replayed = loaded.state.replay(log, loaded.sequence, loaded.log_bytes);
  if (!replayed) return Error{unreadable + replayed.error().message};
  return loaded;
}

}  // namespace futurerand
