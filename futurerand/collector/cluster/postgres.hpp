// Postgres: one connection to a PostgreSQL server. Every wait ends after a while, whatever the
// server does.
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
  // `connection` is what libpq takes. Servers that only read are passed over. It is kUnreachable if
  // none answers.
  static Result<std::unique_ptr<Postgres>> connect(const std::string& connection);
  ~Postgres();
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  // Runs one statement, which is a transaction of its own. What it selects must be of type text or
  // bytea: results come as plain bytes. (A column that is cast keeps its name: whoever sorts by it
  // names the table too, or sorts texts.)
  SqlReply run(const std::string& statement, const std::vector<SqlValue>& values,
               std::chrono::milliseconds patience);
  // The same for one of a few statements that are run often: the server reads each of them once.
  SqlReply run_prepared(const std::string& statement, const std::vector<SqlValue>& values,
                        std::chrono::milliseconds patience);
  // Says whether it is no more to be used, which is so after a reply of kUnknown.
  bool is_broken() const { return broken_; }

  struct Closer {
    void operator()(pg_conn* connection) const;
  };

 private:
  explicit Postgres(std::unique_ptr<pg_conn, Closer> connection);
  SqlReply broken(const std::string& why);
  // Receives what a statement that was sent gives.
  SqlReply receive(bool sent, std::chrono::steady_clock::time_point deadline);
  // Sends what is left to send and receives until a result is complete. Returns false if that
  // fails.
  bool wait_until_ready(std::chrono::steady_clock::time_point deadline);

  std::unique_ptr<pg_conn, Closer> connection_;
  bool warned_ = false;  // by the statement at hand
  std::string warning_;
  bool broken_ = false;
  std::vector<std::string> prepared_;  // the name of a statement is its place
};

}  // namespace futurerand
