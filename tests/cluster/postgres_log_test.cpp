// PostgresLog against a real PostgreSQL on port FUTURERAND_POSTGRES_PORT (log_test.py starts it).
// The tests cover the rights of a former owner, and the state after a lost connection.
#include "futurerand/collector/cluster/postgres_log.hpp"

#include <cstdlib>
#include <future>

#include <gtest/gtest.h>

#include "futurerand/collector/cluster/catalogue.hpp"
#include "futurerand/collector/cluster/owned_shard.hpp"
#include "futurerand/collector/cluster/shard_keeper.hpp"
#include "futurerand/collector/cluster/shard_lane.hpp"
#include "futurerand/collector/cluster/shard_row.hpp"
#include "futurerand/collector/cluster/sums_table.hpp"
#include "futurerand/wire/metric_request.hpp"
#include "tests/cluster/cutting_proxy.hpp"

namespace futurerand {
namespace {

using Groups = std::vector<std::string>;

const std::string kId = "a cluster of tests";

std::uint16_t server_port() {
  const char* port = std::getenv("FUTURERAND_POSTGRES_PORT");
  return static_cast<std::uint16_t>(port == nullptr ? 0 : std::atoi(port));
}

std::string connection(std::uint16_t port, const std::string& name) {
  return "host=127.0.0.1 port=" + std::to_string(port) + " user=postgres dbname=" + name;
}

class PostgresLogTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(server_port(), 0) << "run it by tests/cluster/log_test.py";
    name_ = testing::UnitTest::GetInstance()->current_test_info()->name();
    for (char& letter : name_) letter = static_cast<char>(std::tolower(letter));
    operator_ = operator_of("postgres");
    sql("CREATE DATABASE " + name_);
    operator_ = operator_of(name_);
    ASSERT_TRUE(process(server_port())->database.create({kId, 1, 4, 10'000}));
  }

  static std::unique_ptr<Postgres> operator_of(const std::string& name) {
    auto connected = Postgres::connect(connection(server_port(), name));
    if (!connected) ADD_FAILURE() << connected.error().message;
    return connected ? *std::move(connected) : nullptr;
  }

  // The operator's view, beside the collectors.
  std::string sql(const std::string& statement) {
    const SqlReply reply = operator_->run(statement, {}, std::chrono::seconds(60));
    EXPECT_TRUE(reply.done()) << statement << ": " << reply.message;
    return reply.rows.empty() ? "" : reply.rows[0][0];
  }

  void wait_for(const std::string& question, const std::string& answer) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (sql(question) != answer) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << question;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  // As one process has it: connections of its own.
  struct Process {
    explicit Process(const std::string& connection) : database(connection, kId, 0, 1) {}
    Database database;
  };
  std::unique_ptr<Process> process(std::uint16_t port) const {
    return std::make_unique<Process>(connection(port, name_));
  }

  static ShardRow row_of(Process& process, std::uint32_t shard) {
    const Result<std::vector<ShardRow>> rows = read_shards(process.database, 1000);
    return rows->at(shard);
  }

  // As if it had seen the owner's lease expire.
  static PostgresLog take(Process& process, const std::string& owner) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    for (;;) {
      Result<PostgresLog> log =
          PostgresLog::take(process.database, 2, owner, owner + ":1", row_of(process, 2));
      if (log) return *std::move(log);
      if (std::chrono::steady_clock::now() > deadline) {
        ADD_FAILURE() << log.error().message;
        std::abort();
      }
    }
  }

  std::string waiting_for_locks(const std::string& how_many) const {
    return "SELECT (count(*) " + how_many + ")::text FROM pg_stat_activity WHERE datname = '" +
           name_ + "' AND wait_event_type = 'Lock'";
  }

  // A transaction that locks a shard's row until release.
  class Holder {
   public:
    Holder(std::unique_ptr<Postgres> connection, std::uint32_t shard)
        : connection_(std::move(connection)) {
      run("BEGIN");
      run("SELECT shard::text FROM shard WHERE shard = " + std::to_string(shard) + " FOR UPDATE");
    }
    void let_go() const { run("COMMIT"); }

   private:
    void run(const std::string& statement) const {
      EXPECT_TRUE(connection_->run(statement, {}, std::chrono::seconds(60)).done());
    }
    std::unique_ptr<Postgres> connection_;
  };

  static Groups groups_of(PostgresLog& log) {
    Groups groups;
    const Status read = log.replay(0, [&](std::uint64_t, std::string_view group) {
      groups.emplace_back(group);
      return Status{};
    });
    EXPECT_TRUE(read);
    return groups;
  }

  std::string name_;
  std::unique_ptr<Postgres> operator_;
};

TEST_F(PostgresLogTest, AnOldOwnerWritesNothing) {
  const auto first = process(server_port());
  const auto second = process(server_port());
  PostgresLog old = take(*first, "first");
  ASSERT_EQ(old.append(1, "one").appended, Appended::kDurable);
  PostgresLog owner = take(*second, "second");
  EXPECT_EQ(owner.epoch(), old.epoch() + 1);
  EXPECT_EQ(old.confirm().appended, Appended::kLost);
  EXPECT_EQ(owner.confirm().appended, Appended::kDurable);
  EXPECT_EQ(sql("SELECT last_sequence::text FROM shard WHERE shard = 2"), "1");
  // The position is right: only its epoch shows the new owner.
  const AppendResult late = old.append(2, "late");
  EXPECT_EQ(late.appended, Appended::kLost);
  EXPECT_NE(late.message.find("belongs to another collector"), std::string::npos);
  EXPECT_EQ(groups_of(owner), Groups{"one"});
  // Nor does it make a checkpoint, cut the log, or give away a shard of another owner.
  (void)old.begin(1);
  (void)old.put({0, 1, "a state that nobody has"});
  EXPECT_FALSE(old.commit());
  EXPECT_FALSE(old.forget_older());
  (void)old.release();
  EXPECT_EQ(sql("SELECT owner FROM shard WHERE shard = 2"), "second");
  EXPECT_EQ(sql("SELECT count(*)::text FROM checkpoint"), "0");
  EXPECT_EQ(sql("SELECT count(*)::text FROM log"), "1");
  ASSERT_EQ(owner.append(2, "two").appended, Appended::kDurable);
  PostgresLog next = take(*second, "second");
  EXPECT_EQ(groups_of(next), (Groups{"one", "two"}));
}

TEST_F(PostgresLogTest, AStatementThatNobodyWaitsForEndsInTheServer) {
  const auto collector = process(server_port());
  const SqlReply limit = collector->database.run("SHOW statement_timeout", {});
  ASSERT_TRUE(limit.done()) << limit.message;
  EXPECT_EQ(limit.rows[0][0], "70s");
}

// The connection is lost while the commit of a checkpoint waits in the server. The next checkpoint
// begins meanwhile, and must not delete the pieces of this commit.
TEST_F(PostgresLogTest, TheNextCheckpointDeletesNoLateCommit) {
  CuttingProxy proxy(server_port());
  const auto cut = process(proxy.port());
  PostgresLog log = take(*cut, "owner");
  ASSERT_EQ(log.append(1, "one").appended, Appended::kDurable);
  ASSERT_TRUE(log.begin(1));
  const std::string state(2 << 20, 'x');  // large enough to be written at once
  ASSERT_TRUE(log.put({0, 1, state}));
  const Holder holder(operator_of(name_), 2);
  proxy.cut(CuttingProxy::Cut::kAfterRequest);
  std::future<Result<bool>> committing =
      std::async(std::launch::async, [&] { return log.commit(); });
  (void)committing.get();
  wait_for(waiting_for_locks(">= 1"), "true");
  std::future<Status> beginning = std::async(std::launch::async, [&] { return log.begin(1); });
  wait_for(waiting_for_locks(">= 2"), "true");
  holder.let_go();
  (void)beginning.get();
  wait_for(waiting_for_locks("= 0"), "true");
  EXPECT_EQ(sql("SELECT count(*)::text FROM shard WHERE shard = 2 AND checkpoint_sequence > 0 AND "
                "NOT EXISTS (SELECT FROM checkpoint WHERE checkpoint.shard = shard.shard AND "
                "checkpoint.sequence = shard.checkpoint_sequence)"),
            "0");
}

// It would bring back the sums of a metric deleted meanwhile.
TEST_F(PostgresLogTest, AnOldOwnerWritesNoSums) {
  const auto first = process(server_port());
  const auto second = process(server_port());
  Catalogue catalogue(first->database);
  const char* request =
      R"({"max_changes":2,"epsilon":"1","protocol":"optimal","clock":"manual","periods":8})";
  ASSERT_EQ(catalogue.create(*define_metric("m", request, Instant{})).written, Written::kDurable);
  ShardLane lane(first->database, [](const std::string&) { std::abort(); });
  WriterOptions options;
  options.now = [] { return Instant{}; };
  const auto shard = *OwnedShard::load(2, take(*first, "first"), lane, options, HashKey{});
  std::promise<void> followed;
  shard->follow(catalogue.metrics(), [&] { followed.set_value(); });
  followed.get_future().get();
  while (shard->writer().snapshot()->metrics.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const auto write = [&] {
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(write_sums(first->database, {shard}, Instant{}));
  };
  const PostgresLog owner = take(*second, "second");
  write();
  EXPECT_EQ(sql("SELECT count(*)::text FROM sums"), "0");
  // It would have written them.
  sql("UPDATE shard SET epoch = epoch - 1 WHERE shard = 2");
  shard->sums_written = {};
  write();
  EXPECT_EQ(sql("SELECT count(*)::text FROM sums"), "1");
}

// As when memory is short: the reading thread continues, and the appending thread ends the process
// with a message.
TEST_F(PostgresLogTest, ThreadsThatThrowGoOnOrSayWhyTheyEnd) {
  const auto one = process(server_port());
  const Catalogue catalogue(one->database);
  std::atomic<int> asked = 0, told = 0;
  std::promise<std::string> died;
  {
    KeeperOptions options;
    options.owner = "first";
    options.address = "here";
    options.say = [&](Event event, const std::string&) {
      told += event == Event::kThreadFailed ? 1 : 0;
    };
    // The first three turns fail, and so does the first time that is asked for.
    options.share = [&]() -> Share {
      if (++asked <= 3) throw std::bad_alloc();
      return {1, 0};
    };
    options.handed_over = [] {};
    std::atomic<bool> clock_failed = false;
    options.writer.now = [&] {
      if (!clock_failed.exchange(true)) throw std::bad_alloc();
      return Instant{};
    };
    ShardKeeper keeper(options, one->database, catalogue);
    wait_for("SELECT count(*)::text FROM shard WHERE owner = 'first'", "4");
    EXPECT_EQ(told, 4);
    keeper.leave();
  }
  // Both stay: a lane with an ended thread cannot be left in order.
  auto& lane = *new ShardLane(one->database, [&](const std::string& l) { died.set_value(l); });
  WriterOptions options;
  std::atomic<bool> fails = false;
  options.now = [&] {
    if (fails) throw std::bad_alloc();
    return Instant{};
  };
  static const auto* const shard = new std::shared_ptr<OwnedShard>(
      *OwnedShard::load(2, take(*one, "first"), lane, options, HashKey{}));
  fails = true;
  (*shard)->writer().advance({0, 1},
                             [](const WriteAnswer&) { ADD_FAILURE() << "it was answered"; });
  EXPECT_EQ(died.get_future().get(), "the writer of shards failed: std::bad_alloc");
}

TEST_F(PostgresLogTest, AWrongPositionIsRefused) {
  const auto one = process(server_port());
  PostgresLog log = take(*one, "owner");
  ASSERT_EQ(log.append(1, "one").appended, Appended::kDurable);
  EXPECT_EQ(log.append(1, "again").appended, Appended::kLost);
  EXPECT_EQ(log.append(3, "beyond").appended, Appended::kLost);
  EXPECT_EQ(sql("SELECT last_sequence::text FROM shard WHERE shard = 2"), "1");
  ASSERT_EQ(log.append(2, "two").appended, Appended::kDurable);
  PostgresLog next = take(*one, "owner");
  EXPECT_EQ(groups_of(next), (Groups{"one", "two"}));
}

TEST_F(PostgresLogTest, AShardWhoseLeaseRunsIsNotTaken) {
  const auto one = process(server_port());
  PostgresLog log = take(*one, "first");
  const ShardRow seen = row_of(*one, 2);
  const Result<PostgresLog> other = PostgresLog::take(one->database, 2, "second", "second:1");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kBusy);
  // It was renewed since it was seen.
  ASSERT_TRUE(renew_shards(one->database, "first", {2}));
  const Result<PostgresLog> late = PostgresLog::take(one->database, 2, "second", "second:1", seen);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kBusy);
  EXPECT_EQ(log.append(1, "one").appended, Appended::kDurable);
  ASSERT_TRUE(log.release());
  EXPECT_TRUE(PostgresLog::take(one->database, 2, "second", "second:1"));
}

TEST_F(PostgresLogTest, AfterALostConnectionTakingAnewTells) {
  CuttingProxy proxy(server_port());
  const auto cut = process(proxy.port());
  PostgresLog log = take(*cut, "owner");
  ASSERT_EQ(log.append(1, "one").appended, Appended::kDurable);
  proxy.cut(CuttingProxy::Cut::kBeforeReply);
  EXPECT_EQ(log.append(2, "two").appended, Appended::kUnknown);
  PostgresLog with = take(*cut, "owner");
  EXPECT_EQ(with.epoch(), log.epoch() + 1);
  EXPECT_EQ(groups_of(with), (Groups{"one", "two"}));
  proxy.cut(CuttingProxy::Cut::kBeforeRequest);
  EXPECT_EQ(with.append(3, "three").appended, Appended::kUnknown);
  PostgresLog without = take(*cut, "owner");
  EXPECT_EQ(groups_of(without), (Groups{"one", "two"}));
  EXPECT_EQ(without.append(3, "another three").appended, Appended::kDurable);
}

// The connection is lost, the server has not noticed, and its statement still waits. The next owner
// of the shard learns for good whether the statement counts, in either order.
TEST_F(PostgresLogTest, WhatWaitsInTheServerIsFenced) {
  CuttingProxy proxy(server_port());
  const auto cut = process(proxy.port());
  const auto straight = process(server_port());
  PostgresLog log = take(*cut, "owner");
  ASSERT_EQ(log.append(1, "one").appended, Appended::kDurable);
  const Holder holder(operator_of(name_), 2);
  proxy.cut(CuttingProxy::Cut::kAfterRequest);
  EXPECT_EQ(log.append(2, "orphan").appended, Appended::kUnknown);
  wait_for(waiting_for_locks(">= 1"), "true");
  std::future<PostgresLog> taking =
      std::async(std::launch::async, [&] { return take(*straight, "owner"); });
  wait_for(waiting_for_locks(">= 2"), "true");
  holder.let_go();
  PostgresLog next = taking.get();
  wait_for(waiting_for_locks("= 0"), "true");
  wait_for("SELECT count(*)::text FROM pg_stat_activity WHERE datname = '" + name_ +
               "' AND query LIKE 'WITH asked%' AND state = 'active'",
           "0");
  const Groups known = groups_of(next);
  EXPECT_EQ(std::to_string(known.size()), sql("SELECT count(*)::text FROM log WHERE shard = 2"));
  EXPECT_EQ(next.append(known.size() + 1, "next").appended, Appended::kDurable);
}

// The shard is taken while an append waits for its row. The append's earlier view no longer counts.
TEST_F(PostgresLogTest, AnAppendThatWaitedBehindATakeIsRefused) {
  const auto first = process(server_port());
  const auto second = process(server_port());
  PostgresLog old = take(*first, "first");
  const Holder holder(operator_of(name_), 2);
  std::future<PostgresLog> taking =
      std::async(std::launch::async, [&] { return take(*second, "second"); });
  wait_for(waiting_for_locks(">= 1"), "true");
  std::future<AppendResult> appending =
      std::async(std::launch::async, [&] { return old.append(1, "late"); });
  wait_for(waiting_for_locks(">= 2"), "true");
  holder.let_go();
  EXPECT_EQ(appending.get().appended, Appended::kLost);
  PostgresLog owner = taking.get();
  EXPECT_EQ(groups_of(owner), Groups{});
}

// Queued commits are one statement, each with its own compare-and-swap.
TEST_F(PostgresLogTest, OneRefusedGroupDoesNotKeepTheOthers) {
  const auto one = process(server_port());
  for (std::uint32_t shard = 0; shard < 4; ++shard) {
    ASSERT_TRUE(PostgresLog::take(one->database, shard, "owner", "owner:1"));
  }
  const Holder holder(operator_of(name_), 0);
  std::future<std::vector<SqlReply>> appending = std::async(std::launch::async, [&] {
    return append_groups(one->database, {{0, 1, 1, "group"},
                                         {3, 1, 1, "group"},
                                         {1, 0, 1, "an old epoch"},
                                         {2, 1, 2, "a wrong place"}});
  });
  wait_for(waiting_for_locks(">= 1"), "true");
  holder.let_go();
  const std::vector<SqlReply> replies = appending.get();
  ASSERT_EQ(replies.size(), 4U);
  for (std::size_t at = 0; at < replies.size(); ++at) {
    EXPECT_TRUE(replies[at].done());
    EXPECT_EQ(replies[at].affected, at < 2 ? 1U : 0U);
  }
  EXPECT_EQ(sql("SELECT string_agg(shard::text, ' ' ORDER BY shard) FROM log"), "0 3");
  EXPECT_EQ(sql("SELECT string_agg(last_sequence::text, ' ' ORDER BY shard) FROM shard"),
            "1 0 0 1");
}

// A cancelled wait for the standby says INSERT 0 1, and a warning: the primary alone has it.
TEST_F(PostgresLogTest, ACommitWithAWarningIsUnknown) {
  const auto one = process(server_port());
  PostgresLog log = take(*one, "owner");
  ASSERT_EQ(log.append(1, "one").appended, Appended::kDurable);
  sql("SET synchronous_commit = local");
  sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  sql("SELECT pg_reload_conf()::text");
  wait_for("SELECT current_setting('synchronous_standby_names')", "nobody");
  const std::string waits = " FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
  std::future<AppendResult> appending =
      std::async(std::launch::async, [&] { return log.append(2, "two"); });
  wait_for("SELECT count(*)::text" + waits, "1");
  sql("SELECT pg_cancel_backend(pid)::text" + waits);
  const AppendResult appended = appending.get();
  EXPECT_EQ(appended.appended, Appended::kUnknown);
  EXPECT_NE(appended.message.find("the database warns"), std::string::npos) << appended.message;
  // Taking it anew is no proof either for as long as no standby has it.
  std::future<Result<PostgresLog>> taking = std::async(
      std::launch::async, [&] { return PostgresLog::take(one->database, 2, "owner", "owner:1"); });
  wait_for("SELECT count(*)::text" + waits, "1");
  sql("SELECT pg_cancel_backend(pid)::text" + waits);
  EXPECT_FALSE(taking.get());
  sql("ALTER SYSTEM RESET synchronous_standby_names");
  sql("SELECT pg_reload_conf()::text");
  PostgresLog next = take(*one, "owner");
  EXPECT_EQ(groups_of(next), (Groups{"one", "two"}));
}

}  // namespace
}  // namespace futurerand
