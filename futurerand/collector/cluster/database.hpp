// Database: one of the databases of a cluster, over a few connections opened on demand. Each
// connection is checked first: a database of another cluster or version, or one without syncs, is
// rejected.
//
// Thread safety: all of it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "futurerand/collector/cluster/postgres.hpp"
#include "futurerand/collector/cluster/sql.hpp"

namespace futurerand {

inline constexpr std::uint32_t kClusterVersion = 1;

// The terms of a cluster, as stored in each of its databases; they never change.
struct ClusterTerms {
  std::string id;
  std::uint32_t databases = 1;
  std::uint32_t shards = 64;
  std::uint32_t lease_ms = 10'000;
  friend bool operator==(const ClusterTerms&, const ClusterTerms&) = default;
};

class Database {
 public:
  // `number` is its place in the cluster file with `databases` entries. Connects to nothing yet.
  Database(std::string connection, std::string id, std::uint32_t number, std::uint32_t databases);

  // Runs one statement on a free connection (postgres.hpp). An unreachable database gives kUnknown.
  SqlReply run(const std::string& statement, const std::vector<SqlValue>& values = {},
               std::chrono::milliseconds patience = kPatience);
  // The same for a frequent statement.
  SqlReply run_prepared(const std::string& statement, const std::vector<SqlValue>& values);
  static constexpr std::chrono::milliseconds kPatience{10'000};

  // Returns the database's cluster. kUnreachable if it does not answer; any other error is
  // permanent.
  Result<ClusterTerms> terms();
  // Describes which data survives the loss of a server.
  Result<std::string> durability();
  // Makes the tables of a cluster in an empty database. Existing tables must be the same.
  Status create(const ClusterTerms& terms);

  std::uint32_t number() const { return number_; }
  // Returns its name for errors, without passwords.
  const std::string& name() const { return name_; }

 private:
  using Free = std::vector<std::unique_ptr<Postgres>>;
  static constexpr std::size_t kMaxConnections = 8;

  Result<std::unique_ptr<Postgres>> connect();
  Result<ClusterTerms> check(Postgres& connection);
  template <typename Run>
  SqlReply run_on_a_connection(const Run& run);
  Result<std::unique_ptr<Postgres>> acquire();
  void release(std::unique_ptr<Postgres> connection);

  const std::string connection_;
  const std::string id_;
  const std::uint32_t number_;
  const std::uint32_t databases_;
  const std::string name_;

  std::mutex mutex_;
  std::condition_variable freed_;
  Free free_;
  std::size_t open_ = 0;
};

}  // namespace futurerand
