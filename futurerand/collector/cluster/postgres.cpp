#include "futurerand/collector/cluster/postgres.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <libpq-fe.h>
#include <poll.h>

namespace futurerand {
namespace {

struct ResultClearer {
  void operator()(PGresult* result) const { PQclear(result); }
};
using PgResult = std::unique_ptr<PGresult, ResultClearer>;

std::string one_line(const char* text) {
  std::string line = text == nullptr ? "" : text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// A statement's values as libpq takes them, which outlive this.
struct Parameters {
  explicit Parameters(const std::vector<SqlValue>& values) {
    for (const SqlValue& value : values) {
      data.push_back(value.data());
      sizes.push_back(static_cast<int>(value.size()));
      formats.push_back(value.is_bytes() ? 1 : 0);
    }
  }
  int count() const { return static_cast<int>(data.size()); }

  std::vector<const char*> data;
  std::vector<int> sizes;
  std::vector<int> formats;
};

std::string field_of(const PGresult* result, int field) {
  return one_line(PQresultErrorField(result, field));
}

}  // namespace

void Postgres::Closer::operator()(pg_conn* connection) const { PQfinish(connection); }

Postgres::Postgres(std::unique_ptr<pg_conn, Closer> connection)
    : connection_(std::move(connection)) {
  PQsetNoticeReceiver(
      connection_.get(),
      [](void* self, const PGresult* notice) {
        // A commit that did not wait for the standby says so by nothing but a warning.
        if (field_of(notice, PG_DIAG_SEVERITY_NONLOCALIZED) != "WARNING") return;
        auto* postgres = static_cast<Postgres*>(self);
        postgres->warned_ = true;
        postgres->warning_ = field_of(notice, PG_DIAG_MESSAGE_PRIMARY);
      },
      this);
}

Postgres::~Postgres() = default;

Result<std::unique_ptr<Postgres>> Postgres::connect(const std::string& connection) {
  // Settings in the operator's connection string override the ones before it.
  const char* const keys[] = {"connect_timeout",
                              "target_session_attrs",
                              "keepalives_idle",
                              "application_name",
                              "client_encoding",
                              "dbname",
                              nullptr};
  const char* const values[] = {"3",    "read-write",       "10",   "futurerand",
                                "UTF8", connection.c_str(), nullptr};
  std::unique_ptr<pg_conn, Closer> opened(PQconnectdbParams(keys, values, 1));
  if (opened == nullptr) std::abort();  // out of memory
  if (PQstatus(opened.get()) != CONNECTION_OK) {
    return Error{one_line(PQerrorMessage(opened.get())), ErrorCode::kUnreachable};
  }
  if (PQsetnonblocking(opened.get(), 1) != 0) {
    return Error{"cannot use a connection without blocking", ErrorCode::kUnreachable};
  }
  return std::unique_ptr<Postgres>(new Postgres(std::move(opened)));
}

SqlReply Postgres::broken(const std::string& why) {
  broken_ = true;
  return {Ran::kUnknown, why.empty() ? "the connection to the database is lost" : why};
}

bool Postgres::wait_until_ready(std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    const int unsent = PQflush(connection_.get());
    if (unsent < 0) return false;
    if (unsent == 0 && PQisBusy(connection_.get()) == 0) return true;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    const short events = static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN);
    pollfd waiting{PQsocket(connection_.get()), events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return false;
    if (ready > 0 && (waiting.revents & ~POLLOUT) != 0 && PQconsumeInput(connection_.get()) == 0) {
      return false;
    }
  }
}

SqlReply Postgres::run(const std::string& statement, const std::vector<SqlValue>& values,
                       std::chrono::milliseconds patience) {
  const Parameters of(values);
  return receive(PQsendQueryParams(connection_.get(), statement.c_str(), of.count(), nullptr,
                                   of.data.data(), of.sizes.data(), of.formats.data(), 1) != 0,
                 std::chrono::steady_clock::now() + patience);
}

SqlReply Postgres::run_prepared(const std::string& statement, const std::vector<SqlValue>& values,
                                std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto found = std::find(prepared_.begin(), prepared_.end(), statement);
  const std::string name = "s" + std::to_string(found - prepared_.begin());
  if (found == prepared_.end()) {
    const SqlReply made =
        receive(PQsendPrepare(connection_.get(), name.c_str(), statement.c_str(), 0, nullptr) != 0,
                deadline);
    if (!made.done()) return made;
    prepared_.push_back(statement);
  }
  const Parameters of(values);
  return receive(PQsendQueryPrepared(connection_.get(), name.c_str(), of.count(), of.data.data(),
                                     of.sizes.data(), of.formats.data(), 1) != 0,
                 deadline);
}

SqlReply Postgres::receive(bool sent, std::chrono::steady_clock::time_point deadline) {
  pg_conn* const connection = connection_.get();
  if (!sent) return broken(one_line(PQerrorMessage(connection)));
  warned_ = false;
  SqlReply reply;
  for (;;) {
    if (!wait_until_ready(deadline)) return broken(one_line(PQerrorMessage(connection)));
    const PgResult result(PQgetResult(connection));
    if (result == nullptr) break;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
      reply.affected = std::strtoull(PQcmdTuples(result.get()), nullptr, 10);
      for (int row = 0; row < PQntuples(result.get()); ++row) {
        std::vector<std::string>& fields = reply.rows.emplace_back();
        for (int at = 0; at < PQnfields(result.get()); ++at) {
          fields.emplace_back(PQgetvalue(result.get(), row, at),
                              static_cast<std::size_t>(PQgetlength(result.get(), row, at)));
        }
      }
      continue;
    }
    reply = {Ran::kRefused, field_of(result.get(), PG_DIAG_MESSAGE_PRIMARY),
             field_of(result.get(), PG_DIAG_SQLSTATE)};
    // Without a state it is libpq that speaks: the server did not answer.
    if (reply.state.empty()) return broken(one_line(PQerrorMessage(connection)));
  }
  if (PQstatus(connection) != CONNECTION_OK) return broken(reply.message);
  if (warned_ && reply.done()) return broken("the database warns: " + warning_);
  return reply;
}

}  // namespace futurerand
