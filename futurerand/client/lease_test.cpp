// A device spends once, whatever handles and processes there are of its records.
#include <optional>
#include <string>

#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "futurerand/client/client.hpp"
#include "futurerand/client/file_state_store.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/client/test/lease_fixture.hpp"
#include "futurerand/client/test/terms.hpp"

namespace futurerand {
namespace {

using test::kAll;
using test::LeaseTest;
using test::terms_of;

TEST_F(LeaseTest, TwoLedgersCannotBothSpend) {
  MemoryStateStore store;
  {
    Result<Ledger> first = Ledger::open(store, kAll);
    const Result<Ledger> second = Ledger::open(store, kAll);
    ASSERT_TRUE(first);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kBusy);
    // A handle that was moved is still the one.
    const Ledger moved = *std::move(first);
    EXPECT_FALSE(Ledger::open(store, kAll));
  }
  EXPECT_TRUE(Ledger::open(store, kAll));
}

TEST_F(LeaseTest, TwoClientsOfOneMetricCannotBothRandomize) {
  MemoryStateStore store;
  std::optional<Client> first = *open(store);
  const Result<Client> second = open(store);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_TRUE(open(store, "another"));
  first.reset();
  EXPECT_TRUE(open(store));
}

#ifndef _WIN32  // which forks no process
TEST_F(LeaseTest, AForkedChildCannotGoOnWithWhatItInherits) {
  FileStateStore store = *FileStateStore::open(folder_ / "state");
  Client client = *open(store);
  ASSERT_TRUE(client.observe(3, true));
  const std::string sent = to_lines(client.outbox());

  EXPECT_TRUE(in_child([&] {
    const Status seen = client.observe(4, false);
    const Result<RecordLease> lease = store.lease("new");
    return !seen && seen.error().code == ErrorCode::kBusy && client.outbox().num_lines() == 0 &&
           !lease && lease.error().code == ErrorCode::kBusy && !Ledger::open(store, kAll) &&
           !FileStateStore::open(folder_ / "state");
  }));
  // A child that destroys what it inherited takes nothing from its parent.
  EXPECT_TRUE(in_child([&] {
    { const FileStateStore inherited = std::move(store); }
    return !FileStateStore::open(folder_ / "state");
  }));
  EXPECT_TRUE(in_child([&] { return !FileStateStore::open(folder_ / "state"); }));
  EXPECT_EQ(to_lines(client.outbox()), sent);
  EXPECT_TRUE(client.observe(4, true));
}

TEST_F(LeaseTest, AChildThatLivesOnDoesNotKeepTheLock) {
  int channel[2];
  ASSERT_EQ(::pipe(channel), 0);
  pid_t child = 0;
  {
    const FileStateStore store = *FileStateStore::open(folder_ / "state");
    child = ::fork();
    if (child == 0) {
      char byte = 0;
      ::close(channel[1]);
      const ssize_t got = ::read(channel[0], &byte, 1);  // until the parent closes its end
      ::_exit(got == 0 ? 0 : 1);
    }
  }
  EXPECT_TRUE(FileStateStore::open(folder_ / "state"));
  ::close(channel[0]);
  ::close(channel[1]);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
#endif

TEST_F(LeaseTest, AClientWhoseRecordMovedStops) {
  MemoryStateStore store;
  Client client = *open(store);
  ASSERT_TRUE(client.observe(2, true));
  const std::string record = metric_record("m");
  const Bytes mine = store.records().at(record);

  // Somebody else went on from the same record.
  MemoryStateStore copy = store;
  {
    Client other = *open(copy);
    ASSERT_TRUE(other.observe(9, false));
  }
  ASSERT_TRUE(store.save(record, copy.records().at(record)));
  const Status seen = client.observe(9, true);
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, ErrorCode::kBusy);
  EXPECT_EQ(store.records().at(record), copy.records().at(record));
  EXPECT_EQ(client.outbox().num_lines(), 0U);
  EXPECT_FALSE(client.acknowledge(1));
  // It stops for good, even if the record comes back.
  ASSERT_TRUE(store.save(record, mine));
  EXPECT_FALSE(client.observe(10, true));
  EXPECT_EQ(client.outbox().num_lines(), 0U);
}

TEST_F(LeaseTest, ALedgerWhoseRecordMovedSpendsNothing) {
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, kAll);
  MemoryStateStore copy = store;
  {
    Ledger other = *Ledger::open(copy, kAll);
    ASSERT_TRUE(other.charge("x", kAll, ClientId{}));
  }
  ASSERT_TRUE(store.save("ledger", copy.records().at("ledger")));
  EXPECT_EQ(ledger.charge("m", kAll, ClientId{}).error().code, ErrorCode::kBusy);
  EXPECT_TRUE(ledger.entries().empty());
}

// The generation alone does not tell two records apart that grew from one.
TEST_F(LeaseTest, AnotherRecordOfTheSameGenerationIsNotMine) {
  MemoryStateStore store;
  Client client = *open(store);
  MemoryStateStore copy = store;
  {
    Client other = *open(copy);
    ASSERT_TRUE(other.observe(2, false));
  }
  ASSERT_TRUE(client.observe(2, true));
  const std::string record = metric_record("m");
  ASSERT_EQ(revision_of(store.records().at(record)), revision_of(copy.records().at(record)));
  ASSERT_TRUE(store.save(record, copy.records().at(record)));
  EXPECT_FALSE(client.observe(3, true));
}

TEST_F(LeaseTest, EverySaveIsOneGeneration) {
  MemoryStateStore store;
  Client client = *open(store);
  const auto generation = [&] {
    return revision_of(store.records().at(metric_record("m"))).generation;
  };
  EXPECT_EQ(generation(), 1U);
  EXPECT_EQ(revision_of(store.records().at("ledger")).generation, 1U);
  for (Period t = 1; t <= 5; ++t) {
    ASSERT_TRUE(client.observe(t, true));
    EXPECT_EQ(generation(), 1 + t);
  }
}

// A save that failed may have left the new record behind: the client still knows it as its own.
TEST_F(LeaseTest, AFailedSaveThatWasMadeDoesNotStopTheClient) {
  class LateStore final : public StateStore {
   public:
    Result<std::optional<Bytes>> load(std::string_view record) override {
      return memory.load(record);
    }
    Status save(std::string_view record, std::span<const std::uint8_t> bytes) override {
      const Status saved = memory.save(record, bytes);
      return fails ? Status(Error{"renamed, but not synced", ErrorCode::kNoRoom}) : saved;
    }
    Result<std::vector<std::string>> names() override { return memory.names(); }
    MemoryStateStore memory;
    bool fails = false;
  };
  LateStore store;
  Client client = *open(store);
  store.fails = true;
  EXPECT_EQ(client.observe(2, true).error().code, ErrorCode::kNoRoom);
  EXPECT_EQ(client.now(), 0U);
  store.fails = false;
  EXPECT_TRUE(client.observe(2, true));
  EXPECT_TRUE(client.observe(3, false));
  // But what somebody else put in its place is not its own.
  const std::string record = store.memory.records().rbegin()->first;
  const Bytes foreign = store.memory.records().at(record);
  ASSERT_TRUE(client.observe(4, false));
  store.fails = true;
  EXPECT_FALSE(client.observe(5, true));
  store.fails = false;
  ASSERT_TRUE(store.memory.save(record, foreign));
  EXPECT_EQ(client.observe(5, true).error().code, ErrorCode::kBusy);
  EXPECT_TRUE(client.outbox().reports.empty());
}

TEST_F(LeaseTest, StatesWithoutTheirLedgerAreDamage) {
  MemoryStateStore store;
  ASSERT_TRUE(open(store));
  MemoryStateStore without_ledger;
  const std::string record = metric_record("m");
  ASSERT_TRUE(without_ledger.save(record, store.records().at(record)));
  const Result<Ledger> fresh = Ledger::open(without_ledger, kAll);
  ASSERT_FALSE(fresh);
  EXPECT_EQ(fresh.error().code, ErrorCode::kDamaged);
  EXPECT_NE(fresh.error().message.find("the ledger is missing"), std::string::npos);

  // An older ledger does not know a later state.
  MemoryStateStore later = store;
  ASSERT_TRUE(open(later, "b"));
  ASSERT_TRUE(later.save("ledger", store.records().at("ledger")));
  EXPECT_EQ(Ledger::open(later, kAll).error().code, ErrorCode::kDamaged);
}

TEST_F(LeaseTest, AStateOfAnotherLifeIsRefused) {
  MemoryStateStore one, two;
  ASSERT_TRUE(open(one));
  ASSERT_TRUE(open(two));
  const std::string record = metric_record("m");
  ASSERT_TRUE(one.save(record, two.records().at(record)));
  const Result<Client> mixed = open(one);
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, ErrorCode::kDamaged);
}

TEST_F(LeaseTest, AMetricHasACapOfItsOwn) {
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, {kAll, *Epsilon::parse("1")});
  EXPECT_TRUE(ledger.check("m", *Epsilon::parse("1")));
  const Status refused = ledger.check("m", *Epsilon::parse("1.000000001"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kRefused);
  EXPECT_EQ(refused.error().message,
            "the metric 'm' asks for epsilon 1.000000001; this device allows a metric at most 1");
  const Result<Client> client =
      Client::open(terms_of("m", Protocol::kOptimal, 20, "2"), 1, ledger, store, entropy_);
  EXPECT_EQ(client.error().code, ErrorCode::kRefused);
}

}  // namespace
}  // namespace futurerand
