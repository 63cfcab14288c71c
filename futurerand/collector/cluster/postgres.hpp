// Postgres: one connection to a PostgreSQL server. Every wait has a time limit.
//
// Thread safety: one thread at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "futurerand/collector/cluster/sql.hpp"
#include "futurerand/core/base/result.hpp"

struct pg_conn;

namespace futurerand {

class Postgres {
 public:
  // `connection` is a connection string of libpq. Read-only servers are skipped. Fails with
  // kUnreachable if none answers.
  static Result<std::unique_ptr<Postgres>> connect(const std::string& connection);
  ~Postgres();
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  // Runs one statement as a transaction. Selected columns must be of type text or bytea: results
  // are plain bytes. (A cast column keeps its name. To sort by the uncast column, name the table
  // too.)
  SqlReply run(const std::string& statement, const std::vector<SqlValue>& values,
               std::chrono::milliseconds patience);
  // The same for one of a few frequent statements: the server parses each once.
  SqlReply run_prepared(const std::string& statement, const std::vector<SqlValue>& values,
                        std::chrono::milliseconds patience);
  // True if it must not be used any more, as after a reply of kUnknown.
  bool is_broken() const { return broken_; }

  struct Closer {
    void operator()(pg_conn* connection) const;
  };

 private:
  explicit Postgres(std::unique_ptr<pg_conn, Closer> connection);
  SqlReply broken(const std::string& why);
  // Receives the result of a sent statement.
  SqlReply receive(bool sent, std::chrono::steady_clock::time_point deadline);
  // Sends the rest, and receives until a result is complete. Returns false if this fails.
  bool wait_until_ready(std::chrono::steady_clock::time_point deadline);

  std::unique_ptr<pg_conn, Closer> connection_;
  bool warned_ = false;  // by the current statement
  std::string warning_;
  bool broken_ = false;
  std::vector<std::string> prepared_;  // the name of a statement is its place
};

}  // namespace futurerand
