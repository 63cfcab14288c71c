// With a counter of the platform, no old copy of a device's records is taken.
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/test/file_counter.hpp"
#include "futurerand/client/test/lease_fixture.hpp"

namespace futurerand {
namespace {

using test::FileCounter;
using test::LeaseTest;

class CounterTest : public LeaseTest {
 protected:
  CounterTest() { std::filesystem::create_directory(folder_ / "counter"); }
  FileCounter counter_{folder_ / "counter"};
};

// Without a counter this device would join again with fresh noise: two lives, 2 epsilon.
TEST_F(CounterTest, ABackupFromBeforeJoiningIsRefused) {
  MemoryStateStore store(&counter_);
  const MemoryStateStore before = store;
  ASSERT_TRUE(open(store));
  MemoryStateStore restored = before;
  const Result<Client> again = open(restored);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kDamaged);
  EXPECT_EQ(
      again.error().message,
      "the record 'ledger' is of generation 0, and this device's counter says 1; expected the "
      "latest one, not an old copy");
}

// Without a counter this would be a second look under the same noise.
TEST_F(CounterTest, ABackupFromAfterJoiningIsRefused) {
  MemoryStateStore store(&counter_);
  std::optional<Client> client = *open(store);
  ASSERT_TRUE(client->observe(2, true));
  MemoryStateStore backup = store;
  ASSERT_TRUE(client->observe(3, true));
  client.reset();
  EXPECT_EQ(open(backup).error().code, ErrorCode::kDamaged);
  EXPECT_TRUE(open(store));
}

TEST_F(CounterTest, ACrashBetweenTheRecordAndTheCounterLosesNothing) {
  MemoryStateStore store(&counter_);
  std::optional<Client> client = *open(store);
  counter_.good_raises = 0;
  EXPECT_FALSE(client->observe(2, true));
  EXPECT_EQ(client->now(), 0U);
  EXPECT_TRUE(client->outbox().reports.empty());
  client.reset();
  counter_.good_raises = 1 << 30;
  Client again = *open(store);
  EXPECT_EQ(again.now(), 2U);
  EXPECT_TRUE(again.observe(3, true));
}

// Once the record that was ahead has been read, the one before it is an old copy.
TEST_F(CounterTest, ARecordThatIsAheadRaisesTheCounter) {
  MemoryStateStore store(&counter_);
  std::optional<Client> client = *open(store);
  MemoryStateStore before = store;
  counter_.good_raises = 0;
  EXPECT_FALSE(client->observe(2, true));
  client.reset();
  counter_.good_raises = 1 << 30;
  ASSERT_TRUE(open(store));
  EXPECT_EQ(open(before).error().code, ErrorCode::kDamaged);
}

// A damaged record says nothing of its age: it is refused, and the counter stays.
TEST_F(CounterTest, DamageDoesNotRaiseTheCounter) {
  MemoryStateStore store(&counter_);
  { const Client client = *open(store); }
  const std::string record = store.records().rbegin()->first;
  const std::uint64_t before = *counter_.read(record);
  MemoryStateStore damaged = store;
  Bytes bytes = store.records().at(record);
  bytes[18] ^= 1;  // a generation that is far ahead
  bytes[20] = 0;
  ASSERT_TRUE(damaged.save(record, bytes));
  EXPECT_EQ(open(damaged).error().code, ErrorCode::kDamaged);
  EXPECT_EQ(*counter_.read(record), before);
  EXPECT_TRUE(open(store));
}

TEST_F(CounterTest, ARestoreOntoAnotherDeviceIsRefused) {
  MemoryStateStore store(&counter_);
  {
    Client client = *open(store);
    ASSERT_TRUE(client.observe(2, true));
  }
  std::filesystem::create_directory(folder_ / "other");
  FileCounter other(folder_ / "other");
  MemoryStateStore elsewhere(&other);
  MemoryStateStore nowhere;
  for (const auto& [name, bytes] : store.records()) {
    ASSERT_TRUE(elsewhere.save(name, bytes));
    ASSERT_TRUE(nowhere.save(name, bytes));
  }
  EXPECT_EQ(open(elsewhere).error().code, ErrorCode::kDamaged);
  EXPECT_EQ(open(nowhere).error().code, ErrorCode::kDamaged);
}

TEST_F(CounterTest, ADeviceMayGetACounterLater) {
  MemoryStateStore before;
  {
    Client client = *open(before);
    for (Period t = 1; t < 9; ++t) ASSERT_TRUE(client.observe(t, true));
  }
  MemoryStateStore store(&counter_);
  for (const auto& [name, bytes] : before.records()) ASSERT_TRUE(store.save(name, bytes));
  MemoryStateStore old = store;
  {
    Client client = *open(store);
    ASSERT_TRUE(client.observe(20, false));
  }
  EXPECT_TRUE(open(store));
  EXPECT_FALSE(open(old));
}

TEST_F(CounterTest, WithoutItsCounterNothingIsSpentOrSent) {
  counter_.broken = true;
  MemoryStateStore store(&counter_);
  EXPECT_FALSE(open(store));
  EXPECT_TRUE(store.records().empty());
}

}  // namespace
}  // namespace futurerand
