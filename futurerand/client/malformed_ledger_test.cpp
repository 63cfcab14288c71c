// Ledgers with a valid seal and invalid content, and the names and sums in a ledger.
#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/ledger.hpp"
#include "futurerand/client/test/saved_run.hpp"

namespace futurerand {
namespace {

using test::is_any_view;
using test::kMuch;
using test::resealed;
using test::SavedRun;
using test::terms_of;

TEST(MalformedLedger, IsRefused) {
  const SavedRun run = SavedRun::of(terms_of("m", Protocol::kRepeated, 90), is_any_view);
  const Bytes good = run.store.records().at("ledger");
  const auto opens = [&](const std::function<void(Bytes&)>& edit) {
    MemoryStateStore store = run.store;
    EXPECT_TRUE(store.save("ledger", resealed(good, edit)));
    const Result<Ledger> ledger = Ledger::open(store, kMuch);
    if (!ledger) {
      EXPECT_EQ(ledger.error().code, ErrorCode::kDamaged);
    }
    return bool(ledger);
  };
  EXPECT_TRUE(opens([](Bytes&) {}));
  for (std::size_t left = 21; left + sizeof(Digest) < good.size(); ++left) {
    EXPECT_FALSE(opens([&](Bytes& bytes) { bytes.resize(left); })) << left;
  }
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes.push_back(0); }));
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[8] = 2; }));          // a version to come
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[21] = 2; }));         // one entry, not two
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[21] = 0; }));         // nor none
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[30 + 7] = 0x80; }));  // epsilon out of range
  // A number of entries that nobody could read through.
  EXPECT_FALSE(opens([](Bytes& bytes) { std::fill_n(bytes.begin() + 21, 4, 0xff); }));
  // An entry without a name.
  EXPECT_FALSE(opens([](Bytes& bytes) {
    bytes[25] = 0;
    bytes.erase(bytes.begin() + 29);
  }));
}

TEST(MalformedLedger, NamesHaveOneTo128Bytes) {
  MemoryStateStore store;
  const std::string longest(128, 'x');
  {
    Ledger ledger = *Ledger::open(store, kMuch);
    const Epsilon one = *Epsilon::parse("1");
    EXPECT_FALSE(ledger.check("", one));
    EXPECT_FALSE(ledger.check(longest + "x", one));
    EXPECT_TRUE(ledger.charge(longest, one, ClientId{}));
  }
  const Ledger ledger = *Ledger::open(store, kMuch);
  ASSERT_NE(ledger.find(longest), nullptr);
  // One that is longer, as nobody could have saved it.
  const Bytes bytes = resealed(store.records().at("ledger"), [](Bytes& content) {
    content[25] = 129;
    content.insert(content.begin() + 29, 'x');
  });
  MemoryStateStore other;
  ASSERT_TRUE(other.save("ledger", bytes));
  EXPECT_FALSE(Ledger::open(other, kMuch));
}

TEST(MalformedLedger, DrawsOfGroupsAreReadBackOrRefused) {
  MemoryStateStore store;
  const MetricGroup group = *MetricGroup::create("g", {{"a", 1}, {"b", 2}});
  ASSERT_TRUE(Ledger::open(store, kMuch)->begin_group(group, "b"));
  EXPECT_EQ(Ledger::open(store, kMuch)->draws(), (std::vector<Ledger::Draw>{{group, "b"}}));
  const Bytes good = store.records().at("ledger");
  const auto opens = [&](const std::function<void(Bytes&)>& edit) {
    MemoryStateStore edited;
    EXPECT_TRUE(edited.save("ledger", resealed(good, edit)));
    const Result<Ledger> ledger = Ledger::open(edited, kMuch);
    if (!ledger) {
      EXPECT_EQ(ledger.error().code, ErrorCode::kDamaged);
    }
    return bool(ledger);
  };
  EXPECT_TRUE(opens([](Bytes&) {}));
  for (std::size_t left = 29; left + sizeof(Digest) < good.size(); ++left) {
    EXPECT_FALSE(opens([&](Bytes& bytes) { bytes.resize(left); })) << left;
  }
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[29] = 2; }));    // one draw, not two
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[38] = 1; }));    // of two metrics
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[42] = 2; }));    // the drawn one is the second
  EXPECT_TRUE(opens([](Bytes& bytes) { bytes[42] = 0; }));     // it could be the first
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[50] = 'b'; }));  // with the same name
  EXPECT_FALSE(opens([](Bytes& bytes) { bytes[51] = 0; }));    // without a share
  EXPECT_FALSE(opens([](Bytes& bytes) { std::fill_n(bytes.begin() + 38, 4, 0xff); }));
}

// What only looks like a state is somebody else's file.
TEST(MalformedLedger, OtherFilesAreNotItsStates) {
  MemoryStateStore store;
  for (const char* name : {"metric-notes", "metric-", "other-00000000000000000000000000000000"}) {
    ASSERT_TRUE(store.save(name, Bytes{1}));
  }
  EXPECT_TRUE(Ledger::open(store, kMuch));
  ASSERT_TRUE(store.save("metric-00000000000000000000000000000000", Bytes{1}));
  EXPECT_FALSE(Ledger::open(store, kMuch));
}

TEST(MalformedLedger, SaysWhatIsLeft) {
  MemoryStateStore store;
  Ledger ledger = *Ledger::open(store, *Epsilon::parse("3"));
  ASSERT_TRUE(ledger.charge("a", *Epsilon::parse("0.999999999"), ClientId{}));
  EXPECT_EQ(ledger.check("b", *Epsilon::parse("2.5")).error().message,
            "the metric 'b' asks for epsilon 2.5; this device has 2.000000001 of 3 left");
  ASSERT_TRUE(ledger.charge("c", *Epsilon::parse("1.95"), ClientId{}));
  EXPECT_EQ(ledger.check("b", *Epsilon::parse("2.5")).error().message,
            "the metric 'b' asks for epsilon 2.5; this device has 0.050000001 of 3 left");
}

}  // namespace
}  // namespace futurerand
