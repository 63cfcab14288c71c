// One counter in hardware for a whole folder: no old copy of it is taken, wherever the power is
// cut.
#include "futurerand/client/record_counters.hpp"

#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

using testing_sources::SeededSource;

class FakeHardware final : public HardwareCounter {
 public:
  std::string name() const override { return label; }
  Result<std::optional<std::uint64_t>> read() override {
    if (broken) return Error{"the counter cannot be read", ErrorCode::kNotFound};
    return value;
  }
  Result<std::uint64_t> increment() override {
    if (broken || good_steps == 0) return Error{"the power is cut", ErrorCode::kNotFound};
    --good_steps;
    ++steps;
    // As a TPM: it starts above all that were ever there.
    value = value.value_or(41) + 1;
    return *value;
  }

  std::string label = "fake 1";
  std::optional<std::uint64_t> value;
  bool broken = false;
  int good_steps = 1 << 30;
  int steps = 0;
};

// A folder's records and its counters. Copying the records is a backup.
struct Folder {
  explicit Folder(FakeHardware& of) : hardware(&of) {}
  // Opens all, as a process that starts; copies what `records` had.
  Status start(const std::map<std::string, Bytes, std::less<>>& records) {
    client.reset();
    ledger.reset();
    counters = std::make_unique<RecordCounters>();
    store = std::make_unique<MemoryStateStore>(counters.get());
    for (const auto& [name, bytes] : records) (void)store->save(name, bytes);
    if (const Status open = counters->open(*store, *hardware); !open) return open;
    Result<Ledger> opened = Ledger::open(*store, *Epsilon::parse("2"));
    if (!opened) return opened.error();
    ledger.emplace(*std::move(opened));
    Result<Client> joined =
        Client::open(test::terms_of("m", Protocol::kRepeated), 1, *ledger, *store, entropy);
    if (!joined) return joined.error();
    client.emplace(*std::move(joined));
    return {};
  }
  std::map<std::string, Bytes, std::less<>> backup() const { return store->records(); }

  FakeHardware* hardware;
  SeededSource entropy{1};
  std::unique_ptr<RecordCounters> counters;
  std::unique_ptr<MemoryStateStore> store;
  std::optional<Ledger> ledger;
  std::optional<Client> client;
};

TEST(RecordCounters, OneStepAPeriodHoweverOftenItSends) {
  FakeHardware hardware;
  Folder folder(hardware);
  ASSERT_TRUE(folder.start({}));
  EXPECT_EQ(hardware.steps, 3);  // its own first one, the ledger, the state
  for (Period t = 1; t <= 20; ++t) {
    const int before = hardware.steps;
    for (int again = 0; again < 3; ++again) {
      ASSERT_TRUE(folder.client->observe(t, true));
      ASSERT_TRUE(folder.client->acknowledge(folder.client->outbox().next_index));
    }
    EXPECT_EQ(hardware.steps, before + 1) << "period " << t;
  }
  // A copy from before an acknowledgement is no older: it gives the same lines again.
  ASSERT_TRUE(folder.client->observe(21, false));
  const auto before = folder.backup();
  const std::string due = to_lines(folder.client->outbox());
  ASSERT_TRUE(folder.client->acknowledge(folder.client->outbox().next_index));
  ASSERT_TRUE(folder.start(before));
  folder.client->begin_period(21);
  EXPECT_EQ(to_lines(folder.client->outbox()), due);
}

TEST(RecordCounters, NoOldCopyIsTaken) {
  FakeHardware hardware;
  Folder folder(hardware);
  ASSERT_TRUE(folder.start({}));
  std::vector<std::map<std::string, Bytes, std::less<>>> backups = {{}};
  for (Period t = 1; t <= 10; ++t) {
    backups.push_back(folder.backup());
    ASSERT_TRUE(folder.client->observe(t, t % 2 == 0));
  }
  const auto latest = folder.backup();
  for (const auto& backup : backups) {
    const Status refused = folder.start(backup);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kDamaged);
  }
  // Mixtures are old copies too: every record is counted.
  for (const auto& [name, bytes] : backups.back()) {
    auto mixed = latest;
    if (mixed.at(name) == bytes) continue;
    mixed[name] = bytes;
    EXPECT_FALSE(folder.start(mixed)) << name;
    mixed.erase(name);
    EXPECT_FALSE(folder.start(mixed)) << name;
  }
  EXPECT_TRUE(folder.start(latest));
}

TEST(RecordCounters, AnotherCounterOrNoneIsRefused) {
  FakeHardware hardware;
  Folder folder(hardware);
  ASSERT_TRUE(folder.start({}));
  ASSERT_TRUE(folder.client->observe(1, true));
  const auto latest = folder.backup();
  FakeHardware other;  // that of another machine, never used
  Folder elsewhere(other);
  EXPECT_EQ(elsewhere.start(latest).error().code, ErrorCode::kDamaged);
  other.value = hardware.value;
  other.label = "fake 2";
  EXPECT_EQ(elsewhere.start(latest).error().code, ErrorCode::kDamaged);
  other.broken = true;
  EXPECT_EQ(elsewhere.start(latest).error().code, ErrorCode::kNotFound);
  MemoryStateStore bare;
  for (const auto& [name, bytes] : latest) ASSERT_TRUE(bare.save(name, bytes));
  EXPECT_EQ(Ledger::open(bare, *Epsilon::parse("2")).error().code, ErrorCode::kDamaged);
  EXPECT_TRUE(folder.start(latest));
}

// The power is cut before any one step of the hardware: nothing is lost, and the copy from before
// is refused once the device went on.
TEST(RecordCounters, ACutBetweenTheRecordAndTheHardwareLosesNothing) {
  for (int cut = 1; cut < 8; ++cut) {
    FakeHardware hardware;
    hardware.good_steps = cut;
    Folder folder(hardware);
    Status running = folder.start({});
    for (Period t = 1; running && t <= 8; ++t) running = folder.client->observe(t, true);
    ASSERT_FALSE(running);
    if (folder.client) {
      // Nothing more comes out of it until it is opened again.
      EXPECT_FALSE(folder.client->observe(30, false));
    }
    const auto left = folder.backup();
    hardware.good_steps = 1 << 30;
    const Status again = folder.start(left);
    // Between the ledger and the state the metric is spent, as without a counter.
    if (cut == 1) {
      EXPECT_EQ(again.error().code, ErrorCode::kRefused) << cut;
      continue;
    }
    ASSERT_TRUE(again) << cut << again.error().message;
    EXPECT_TRUE(folder.client->observe(40, false));
    EXPECT_FALSE(folder.start(left));
  }
}

}  // namespace
}  // namespace futurerand
