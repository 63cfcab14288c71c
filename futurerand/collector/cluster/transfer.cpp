#include "futurerand/collector/cluster/transfer.hpp"

#include <chrono>
#include <map>
#include <thread>

#include "futurerand/collector/cluster/catalogue.hpp"
#include "futurerand/collector/cluster/postgres_log.hpp"
#include "futurerand/collector/cluster/shard_hash.hpp"
#include "futurerand/collector/cluster/shard_row.hpp"
#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/collector/log/file_store.hpp"
#include "futurerand/collector/writer/state_checkpoint.hpp"
#include "futurerand/wire/metric_json.hpp"

namespace futurerand {
namespace {

const std::string kMover = "whoever moves the cluster";

// The part of a state that is one shard's. Sums cannot be told apart by their devices: those of
// signs are all the first shard's, and added up they are the same.
Result<State> part_of(const State& all, std::uint32_t shard, const ShardHash& shard_of) {
  State part(all.key());
  for (std::uint32_t number = 0; number < all.size(); ++number) {
    if (!all.has(number)) continue;
    const Metric& metric = all.metric(number);
    part.create(*metric.definition);
    Metric& copy = part.metric(part.size() - 1);
    static_cast<MetricLifecycle&>(copy) = metric;
    if (shard == 0) copy.final_seasons = metric.final_seasons;
    if (metric.fold.dropped_clients() && shard > 0) {
      copy.fold.drop_clients();
      continue;
    }
    const auto belongs = [&](const ClientId& client) { return shard_of(client) == shard; };
    for (std::size_t piece = shard > 0 ? 1 : 0; piece < FoldCheckpoint::num_pieces(); ++piece) {
      const Status loaded =
          FoldCheckpoint::load(piece, FoldCheckpoint::save(metric.fold, piece, belongs), copy.fold);
      if (!loaded) return loaded.error();
    }
  }
  return part;
}

// Makes a log that begins with this state: commit 1, which is deleted at once, and a checkpoint
// after it.
template <typename Store>
Status begin_with(const State& state, Store& store) {
  std::string group;
  for (std::uint32_t number = 0; number < state.size(); ++number) {
    put_record(group, MetricCreated{to_json(*state.metric(number).definition)});
  }
  const AppendResult appended = store.append(1, group);
  if (appended.appended != Appended::kDurable) return Error{appended.message};
  Result<StateCheckpoint> checkpoint = StateCheckpoint::begin(state, store, 1);
  if (!checkpoint) return checkpoint.error();
  if (const Status cut = checkpoint->cut_rest(1); !cut) return cut;
  return store.forget_older();
}

std::uint64_t devices_of(const State& state) {
  std::uint64_t devices = 0;
  for (std::uint32_t number = 0; number < state.size(); ++number) {
    const Fold& fold = state.metric(number).fold;
    if (!fold.dropped_clients()) devices += fold.num_clients();
  }
  return devices;
}

// All at once: a cluster with some of them would give their numbers to others.
Status insert_metrics(Database& database, const State& state) {
  std::string values;
  std::vector<SqlValue> parameters;
  constexpr std::size_t kColumns = 9;
  for (std::uint32_t number = 0; number < state.size(); ++number) {
    const Metric& metric = state.metric(number);
    parameters.push_back(number);
    parameters.push_back(metric.definition->name);
    parameters.push_back(to_json(*metric.definition));
    parameters.push_back(metric.manual_period);
    parameters.push_back(metric.ended ? std::to_string(*metric.ended) : std::string());
    parameters.push_back(metric.archived ? "true" : "false");
    parameters.push_back(to_lines(metric.candidates));
    parameters.push_back(metric.fold.dropped_clients() ? "true" : "false");
    parameters.push_back(to_lines(metric.annotations));
    std::string row = number > 0 ? ", (" : "(";
    const std::size_t first = parameters.size() - kColumns;
    const char* const types[] = {"::int", "", "", "::bigint", "", "::bool", "", "::bool", ""};
    for (std::size_t at = 0; at < kColumns; ++at) {
      if (at > 0) row += ", ";
      if (at == 4) row += "nullif(";
      row += '$';
      row += std::to_string(first + at + 1);
      row += types[at];
      if (at == 4) row += "::text, '')::bigint";
    }
    values += row + ")";
  }
  const SqlReply reply = database.run(
      "INSERT INTO metric(number, name, definition, period, ended, archived, candidates, erased, "
      "annotations) "
      "VALUES " +
          values,
      parameters);
  return reply.done() ? Status{} : Status(Error{reply.message});
}

Result<ClusterTerms> terms_of(const std::vector<std::unique_ptr<Database>>& databases) {
  for (const auto& database : databases) {
    if (const Result<ClusterTerms> terms = database->terms(); !terms) return terms.error();
  }
  return databases[0]->terms();
}

// Takes shards one after the other. Those that a collector left behind that was killed are watched
// for a lease, all of a database at once.
class ShardTaker {
 public:
  explicit ShardTaker(std::chrono::milliseconds lease) : lease_(lease) {}

  Result<PostgresLog> take(Database& database, std::uint32_t shard) {
    Result<PostgresLog> log = PostgresLog::take(database, shard, kMover, "", seen_[shard]);
    if (log || log.error().code != ErrorCode::kBusy) return log;
    if (seen_[shard].owner.empty()) {
      const Result<std::vector<ShardRow>> rows =
          read_shards(database, static_cast<std::uint32_t>(lease_.count()));
      if (!rows) return rows.error();
      for (const ShardRow& row : *rows) seen_[row.shard] = row;
      std::this_thread::sleep_for(lease_);
      log = PostgresLog::take(database, shard, kMover, "", seen_[shard]);
      if (log) return log;
    }
    return Error{log.error().message + "; stop all collectors of the cluster first"};
  }

 private:
  const std::chrono::milliseconds lease_;
  std::map<std::uint32_t, ShardRow> seen_;
};

Status check_new(const std::vector<std::unique_ptr<Database>>& databases) {
  Catalogue catalogue(*databases[0]);
  if (const Status read = catalogue.refresh(); !read) return read;
  bool is_new = catalogue.metrics()->empty();
  for (const auto& database : databases) {
    const Result<std::vector<ShardRow>> rows = read_shards(*database, 0);
    if (!rows) return rows.error();
    for (const ShardRow& row : *rows) is_new = is_new && row.last_sequence == 0;
  }
  if (is_new) return {};
  return Error{"the cluster has counted devices already; expected a new one from 'cluster init'"};
}

}  // namespace

Result<Transferred> import_folder(const std::filesystem::path& folder,
                                  const std::vector<std::unique_ptr<Database>>& databases,
                                  const HashKey& key, const Say& say) {
  const Result<ClusterTerms> terms = terms_of(databases);
  if (!terms) return terms.error();
  if (const Status fresh = check_new(databases); !fresh) return fresh.error();
  if (!std::filesystem::exists(folder / "FORMAT")) {
    return Error{"'" + folder.string() + "' is no data folder of a collector"};
  }
  StoreOptions options;
  options.folder = folder;
  options.say = say;
  const Result<std::unique_ptr<FileStore>> store = FileStore::open(options);
  if (!store) return store.error();
  const Result<LoadedState> loaded = load_state(key, **store, **store, say);
  if (!loaded) return loaded.error();
  Result<State> all =
      part_of(loaded->state, 0, ShardHash(terms->id, 1));  // without those that were deleted
  if (!all) return all.error();
  if (all->size() == 0) return Error{"'" + folder.string() + "' has no metric"};
  ShardTaker taker(std::chrono::milliseconds(terms->lease_ms));
  for (const auto& database : databases) {
    for (std::uint32_t shard = database->number(); shard < terms->shards;
         shard += terms->databases) {
      Result<State> part = part_of(*all, shard, ShardHash(terms->id, terms->shards));
      if (!part) return part.error();
      Result<PostgresLog> log = taker.take(*database, shard);
      if (!log) return log.error();
      if (const Status begun = begin_with(*part, *log); !begun) return begun.error();
      if (const Status released = log->release(); !released) return released.error();
    }
  }
  if (const Status inserted = insert_metrics(*databases[0], *all); !inserted) {
    return inserted.error();
  }
  return Transferred{all->size(), devices_of(*all)};
}

Result<Transferred> export_folder(const std::vector<std::unique_ptr<Database>>& databases,
                                  const std::filesystem::path& folder, const HashKey& key,
                                  const Say& say) {
  const Result<ClusterTerms> terms = terms_of(databases);
  if (!terms) return terms.error();
  if (std::filesystem::exists(folder) && !std::filesystem::is_empty(folder)) {
    return Error{"'" + folder.string() + "' is not empty; expected an empty or missing folder"};
  }
  Catalogue catalogue(*databases[0]);
  if (const Status read = catalogue.refresh(); !read) return read.error();
  const Result<std::int64_t> time = database_time(*databases[0]);
  if (!time) return time.error();
  const Instant now{std::chrono::milliseconds(*time)};
  const CatalogueMetrics& metrics = *catalogue.metrics();
  State all(key);
  std::vector<std::uint32_t> numbers(metrics.size());  // in the folder
  for (std::uint32_t number = 0; number < metrics.size(); ++number) {
    if (metrics[number].deleted) continue;
    numbers[number] = all.size();
    all.create(*metrics[number].definition);
    MetricLifecycle& lifecycle = all.metric(numbers[number]);
    lifecycle = metrics[number];
    if (lifecycle.is_closed(now)) lifecycle.ended = lifecycle.current_period(now);
  }
  if (all.size() == 0) return Error{"the cluster has no metric"};
  ShardTaker taker(std::chrono::milliseconds(terms->lease_ms));
  for (const auto& database : databases) {
    for (std::uint32_t shard = database->number(); shard < terms->shards;
         shard += terms->databases) {
      Result<PostgresLog> log = taker.take(*database, shard);
      if (!log) return log.error();
      Result<LoadedState> loaded = load_state(key, *log, *log, say);
      const Status released = log->release();
      if (!loaded) return loaded.error();
      if (!released) return released.error();
      State& state = loaded->state;
      for (std::uint32_t number = 0; number < std::min<std::size_t>(state.size(), metrics.size());
           ++number) {
        if (!state.has(number) || metrics[number].deleted) continue;
        Metric& part = state.metric(number);
        // Its owner may not have closed it yet. What may be reopened keeps its devices.
        const bool may_reopen = metrics[number].ended && !metrics[number].erased;
        if (metrics[number].is_closed(now) && !may_reopen && !part.fold.dropped_clients()) {
          part.close(metrics[number].current_period(now));
        }
        Metric& whole = all.metric(numbers[number]);
        add(whole.definition->plan, whole.final_seasons, part.final_seasons);
        if (const Status added = FoldCheckpoint::add(part.fold, all.metric(numbers[number]).fold);
            !added) {
          return added.error();
        }
      }
    }
  }
  StoreOptions options;
  options.folder = folder;
  options.say = say;
  const Result<std::unique_ptr<FileStore>> store = FileStore::open(options);
  if (!store) return store.error();
  const Status empty = (*store)->replay(
      0, [](std::uint64_t, std::string_view) { return Status(Error{"the folder is not empty"}); });
  if (!empty) return empty.error();
  if (const Status begun = begin_with(all, **store); !begun) return begun.error();
  (*store)->rest();
  return Transferred{all.size(), devices_of(all)};
}

}  // namespace futurerand
