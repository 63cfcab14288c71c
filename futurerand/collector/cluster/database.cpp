#include "futurerand/collector/cluster/database.hpp"

#include <algorithm>

namespace futurerand {
namespace {

constexpr std::chrono::milliseconds kCheckPatience{5'000};
constexpr std::string_view kReadOnly = "25006";

// Groups of the log and pieces of checkpoints are dense already: storage external, not compressed.
// A shard's row is written with every append, so that its page needs room for versions.
const char* const kTables[] = {
    "CREATE TABLE IF NOT EXISTS cluster(id text PRIMARY KEY, version int NOT NULL, "
    "number int NOT NULL, databases int NOT NULL, shards int NOT NULL, lease_ms int NOT NULL)",
    "CREATE TABLE IF NOT EXISTS shard(shard int PRIMARY KEY, last_sequence bigint NOT NULL "
    "DEFAULT 0, epoch bigint NOT NULL DEFAULT 0, owner text, address text, "
    "renewals bigint NOT NULL DEFAULT 0, renewed_at timestamptz, "
    "checkpoint_sequence bigint NOT NULL DEFAULT 0, older_checkpoint bigint NOT NULL DEFAULT 0, "
    "sums_sequence bigint NOT NULL DEFAULT 0, sums_version bigint NOT NULL DEFAULT 0, "
    "sums_at bigint NOT NULL DEFAULT 0) WITH (fillfactor = 10)",
    "CREATE TABLE IF NOT EXISTS log(shard int, sequence bigint, bytes bytea NOT NULL, "
    "PRIMARY KEY (shard, sequence))",
    "ALTER TABLE log ALTER bytes SET STORAGE EXTERNAL",
    "CREATE TABLE IF NOT EXISTS checkpoint(shard int, sequence bigint, piece int, bytes bytea "
    "NOT NULL, PRIMARY KEY (shard, sequence, piece))",
    "ALTER TABLE checkpoint ALTER bytes SET STORAGE EXTERNAL",
    "CREATE TABLE IF NOT EXISTS metric(number int PRIMARY KEY, name text NOT NULL, "
    "definition text NOT NULL, period bigint NOT NULL DEFAULT 1, ended bigint, "
    "archived bool NOT NULL DEFAULT false, erased bool NOT NULL DEFAULT false, deleted bool NOT "
    "NULL DEFAULT false, imported bytea, candidates text NOT NULL DEFAULT '', annotations text "
    "NOT NULL DEFAULT '')",
    "CREATE UNIQUE INDEX IF NOT EXISTS metric_name ON metric(name) WHERE NOT deleted",
    "CREATE TABLE IF NOT EXISTS sums(shard int, metric int, sequence bigint NOT NULL, "
    "version bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (shard, metric))",
    "CREATE TABLE IF NOT EXISTS collector(owner text PRIMARY KEY, address text NOT NULL UNIQUE, "
    "renewals bigint NOT NULL DEFAULT 1, renewed_at timestamptz NOT NULL, draining bool NOT NULL "
    "DEFAULT false)",
    "CREATE TABLE IF NOT EXISTS clock(one bool PRIMARY KEY DEFAULT true CHECK (one), "
    "trusted_ms bigint NOT NULL DEFAULT 0, confirmations bigint NOT NULL DEFAULT 0)",
    "INSERT INTO clock DEFAULT VALUES ON CONFLICT DO NOTHING",
};

Error failed_at(const std::string& name, const SqlReply& reply) {
  const bool unreachable = reply.ran == Ran::kUnknown;
  return {name + ": " + reply.message, unreachable ? ErrorCode::kUnreachable : ErrorCode::kInvalid};
}

std::uint32_t small_number(const std::string& text) {
  return static_cast<std::uint32_t>(std::stoul(text));
}

}  // namespace

Database::Database(std::string connection, std::string id, std::uint32_t number,
                   std::uint32_t databases)
    : connection_(std::move(connection)),
      id_(std::move(id)),
      number_(number),
      databases_(databases),
      name_("database " + std::to_string(number)) {}

Result<std::unique_ptr<Postgres>> Database::connect() {
  Result<std::unique_ptr<Postgres>> connected = Postgres::connect(connection_);
  if (!connected) {
    return Error{name_ + " does not answer: " + connected.error().message, ErrorCode::kUnreachable};
  }
  Postgres& postgres = **connected;
  // A statement that nobody waits for any more ends on the server too.
  for (const char* setting : {"SET synchronous_commit = on", "SET statement_timeout = 70000"}) {
    const SqlReply set = postgres.run(setting, {}, kCheckPatience);
    if (!set.done()) return failed_at(name_, set);
  }
  const SqlReply settings = postgres.run(
      "SELECT current_setting('fsync'), current_setting('full_page_writes')", {}, kCheckPatience);
  if (!settings.done()) return failed_at(name_, settings);
  if (settings.rows[0][0] != "on" || settings.rows[0][1] != "on") {
    return Error{name_ +
                 " runs with fsync or full_page_writes off: a crash loses confirmed commits; "
                 "expected both on"};
  }
  return connected;
}

Result<ClusterTerms> Database::check(Postgres& connection) {
  const SqlReply reply = connection.run(
      "SELECT id, version::text, number::text, databases::text, shards::text, lease_ms::text "
      "FROM cluster",
      {}, kCheckPatience);
  constexpr std::string_view kNoSuchTable = "42P01";
  if (reply.state == kNoSuchTable || (reply.done() && reply.rows.empty())) {
    return Error{name_ + " holds no cluster; expected one made by 'futurerand cluster init'",
                 ErrorCode::kNotFound};
  }
  if (!reply.done()) return failed_at(name_, reply);
  const std::vector<std::string>& row = reply.rows[0];
  if (small_number(row[1]) != kClusterVersion) {
    return Error{name_ + " is of version " + row[1] + "; this program knows version " +
                 std::to_string(kClusterVersion)};
  }
  if (row[0] != id_) {
    return Error{name_ + " belongs to another cluster, or the secret is another one than its own"};
  }
  if (small_number(row[3]) != databases_) {
    return Error{name_ + " is of a cluster of " + row[3] + " databases; the cluster file lists " +
                 std::to_string(databases_)};
  }
  if (small_number(row[2]) != number_) {
    return Error{name_ + " of the cluster file is the cluster's database " + row[2] +
                 "; expected them in the order in which it was made"};
  }
  return ClusterTerms{row[0], small_number(row[3]), small_number(row[4]), small_number(row[5])};
}

Result<std::unique_ptr<Postgres>> Database::acquire() {
  {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_for(lock, kPatience,
                         [this] { return !free_.empty() || open_ < kMaxConnections; })) {
      return Error{name_ + " is busy", ErrorCode::kUnreachable};
    }
    if (!free_.empty()) {
      std::unique_ptr<Postgres> connection = std::move(free_.back());
      free_.pop_back();
      return connection;
    }
    ++open_;
  }
  Result<std::unique_ptr<Postgres>> connected = connect();
  if (connected) {
    const Result<ClusterTerms> checked = check(**connected);
    if (checked) return connected;
    connected = checked.error();
  }
  release(nullptr);
  return connected;
}

void Database::release(std::unique_ptr<Postgres> connection) {
  Free gone;  // closed without the lock
  const std::lock_guard lock(mutex_);
  if (connection != nullptr && !connection->is_broken()) {
    free_.push_back(std::move(connection));
    freed_.notify_one();
  } else {
    // The others lead to the same server: whatever ended this one ended them too, most likely.
    open_ -= 1 + free_.size();
    gone.swap(free_);
    freed_.notify_all();
  }
}

template <typename Run>
SqlReply Database::run_on_a_connection(const Run& run) {
  Result<std::unique_ptr<Postgres>> connection = acquire();
  if (!connection) return {Ran::kUnknown, connection.error().message};
  SqlReply reply = run(**connection);
  // A server that only reads is left: another one of the connection string may write.
  release(reply.state == kReadOnly ? nullptr : *std::move(connection));
  if (!reply.done()) reply.message = name_ + ": " + reply.message;
  return reply;
}

SqlReply Database::run(const std::string& statement, const std::vector<SqlValue>& values,
                       std::chrono::milliseconds patience) {
  return run_on_a_connection(
      [&](Postgres& connection) { return connection.run(statement, values, patience); });
}

SqlReply Database::run_prepared(const std::string& statement, const std::vector<SqlValue>& values) {
  return run_on_a_connection(
      [&](Postgres& connection) { return connection.run_prepared(statement, values, kPatience); });
}

Result<ClusterTerms> Database::terms() {
  const Result<std::unique_ptr<Postgres>> connected = connect();
  if (!connected) return connected.error();
  return check(**connected);
}

Result<std::string> Database::durability() {
  const SqlReply reply = run("SELECT current_setting('synchronous_standby_names')");
  if (!reply.done()) return failed_at(name_, reply);
  const std::string& standbys = reply.rows[0][0];
  if (standbys.empty()) {
    return name_ +
           " has no synchronous standby: commits survive a crash, but not the loss of its "
           "server";
  }
  return name_ + " commits to its standbys too (" + standbys +
         "): commits survive the loss of a server";
}

Status Database::create(const ClusterTerms& terms) {
  const Result<std::unique_ptr<Postgres>> connected = connect();
  if (!connected) return connected.error();
  Postgres& postgres = **connected;
  const Result<ClusterTerms> existing = check(postgres);
  if (existing && *existing == terms) return {};
  if (existing) {
    return Error{name_ + " holds this cluster with other terms; expected the same --shards " +
                 std::to_string(existing->shards) + " --lease-ms " +
                 std::to_string(existing->lease_ms) + ": they cannot change"};
  }
  if (existing.error().code != ErrorCode::kNotFound) return existing.error();
  for (const char* statement : kTables) {
    const SqlReply made = postgres.run(statement, {}, kPatience);
    if (!made.done()) return failed_at(name_, made);
  }
  const SqlReply shards = postgres.run(
      "INSERT INTO shard(shard) SELECT s FROM generate_series(0, $1::int - 1) AS s "
      "WHERE s % $2::int = $3::int ON CONFLICT DO NOTHING",
      {terms.shards, terms.databases, number_}, kPatience);
  if (!shards.done()) return failed_at(name_, shards);
  // Last: what is made by halves is no cluster.
  const SqlReply cluster = postgres.run(
      "INSERT INTO cluster(id, version, number, databases, shards, lease_ms) "
      "VALUES ($1, $2::int, $3::int, $4::int, $5::int, $6::int)",
      {terms.id, kClusterVersion, number_, terms.databases, terms.shards, terms.lease_ms},
      kPatience);
  if (!cluster.done()) return failed_at(name_, cluster);
  return {};
}

}  // namespace futurerand
