// These try what an attacker would try with a device and its stored state.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

using test::CountingStore;
using test::DeviceUnderTest;
using test::kCeiling;
using test::reopen;
using test::sent;
using test::terms_of;
using testing_sources::FailingSource;
using testing_sources::SeededSource;

// Drawing anew would tell the server which of the repeated reports were coins.
TEST(ClientAttack, AnOldCopyOfTheStateRepeatsItsBits) {
  DeviceUnderTest device(terms_of());
  Client client = device.join();
  ASSERT_TRUE(client.observe(10, true));
  const MemoryStateStore backup = device.store.memory;
  for (const Period t : {20U, 33U, 97U, 200U}) ASSERT_TRUE(client.observe(t, t == 33));

  for (int comes_back = 0; comes_back < 3; ++comes_back) {
    MemoryStateStore old = backup;
    Client again = *reopen(device.terms, old);
    for (const Period t : {20U, 33U, 97U, 200U}) ASSERT_TRUE(again.observe(t, t == 33));
    EXPECT_EQ(sent(again), sent(client));
  }
  // The same life is seen period by period instead: the coins belong to the indices.
  MemoryStateStore old = backup;
  Client again = *reopen(device.terms, old);
  for (Period t = 11; t <= 200; ++t) {
    ASSERT_TRUE(again.observe(t, t < 20 || (t >= 33 && t < 97)));
  }
  EXPECT_EQ(sent(again), sent(client));
}

TEST(ClientAttack, NoIndexIsRandomizedTwice) {
  DeviceUnderTest device(terms_of("m", Protocol::kRepeated));
  Client client = device.join();
  ASSERT_TRUE(client.observe(50, true));
  const std::string before = sent(client);
  for (const Period t : {49U, 1U, 0U}) {
    const Status refused = client.observe(t, false);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(refused.error().message,
              "period " + std::to_string(t) + " is over; expected period 50 or a later one");
  }
  // The first value of a period counts.
  ASSERT_TRUE(client.observe(50, false));
  EXPECT_EQ(sent(client), before);
  MemoryStateStore copy = device.store.memory;
  Client loaded = *reopen(device.terms, copy);
  ASSERT_TRUE(loaded.observe(50, false));
  EXPECT_EQ(sent(loaded), before);
  // Nor does an acknowledgement bring an index back.
  ASSERT_TRUE(client.acknowledge(client.outbox().reports[0].first_index + 3));
  ASSERT_TRUE(client.acknowledge(0));
  EXPECT_EQ(client.outbox().reports[0].first_index, 4U);
  EXPECT_FALSE(client.acknowledge(1000));
}

TEST(ClientAttack, AServerCannotChangeTheTerms) {
  DeviceUnderTest device(terms_of());
  { const Client client = device.join(); }
  const auto refused = [&](const MetricTerms& terms) {
    MemoryStateStore copy = device.store.memory;
    const Result<Client> loaded = reopen(terms, copy);
    return loaded ? std::string("accepted") : loaded.error().message;
  };
  const std::string changed =
      "the metric 'dark-mode' is not the one that this device joined: its plan, start or period "
      "length changed; expected the same terms for ever";
  MetricTerms other = terms_of();
  EXPECT_EQ(refused(other), "accepted");
  ++other.clock.start;
  EXPECT_EQ(refused(other), changed);
  other = terms_of();
  other.clock.length = 60;
  EXPECT_EQ(refused(other), changed);
  EXPECT_EQ(refused(terms_of("dark-mode", Protocol::kOptimal, 201)), changed);
  EXPECT_EQ(refused(terms_of("dark-mode", Protocol::kOptimal, 200, "2")), changed);
  EXPECT_EQ(refused(terms_of("dark-mode", Protocol::kHybrid)), changed);
  EXPECT_EQ(refused(terms_of("dark-mode", Protocol::kSnapshot, 5, "0.1")), changed);
  // Nor can it have the device join again where the state is gone.
  MemoryStateStore only_ledger;
  ASSERT_TRUE(only_ledger.save("ledger", device.store.memory.records().at("ledger")));
  const Result<Client> again = reopen(terms_of(), only_ledger);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kRefused);
  EXPECT_NE(again.error().message.find("a metric is joined once, ever"), std::string::npos);
  other = terms_of("new");
  other.clock.length = -1;
  EXPECT_FALSE(Client::open(other, 1, device.ledger, device.store, device.entropy));
}

TEST(ClientAttack, ManyMetricsCannotPassTheCeiling) {
  MemoryStateStore store;
  SeededSource entropy(1);
  int joined = 0;
  std::string refusal;
  for (int i = 0; i < 40; ++i) {
    Ledger ledger = *Ledger::open(store, kCeiling);  // reopened: it was saved
    const MetricTerms terms = terms_of("metric" + std::to_string(i), Protocol::kOptimal, 8, "0.4");
    const Result<Client> client = Client::open(terms, 1, ledger, store, entropy);
    if (client) ++joined;
    if (!client) refusal = client.error().message;
  }
  EXPECT_EQ(joined, 7);  // 7 * 0.4 = 2.8 <= 3
  EXPECT_EQ(refusal, "the metric 'metric39' asks for epsilon 0.4; this device has 0.2 of 3 left");
  Ledger ledger = *Ledger::open(store, kCeiling);
  EXPECT_EQ(ledger.spent_nanos(), 2'800'000'000);
  EXPECT_TRUE(ledger.charge("exact", *Epsilon::parse("0.2"), ClientId{}));
  EXPECT_FALSE(ledger.check("crumb", *Epsilon::parse("0.000001")));
}

TEST(ClientAttack, MetricsShareNeitherIdsNorKeysNorRecords) {
  DeviceUnderTest device(terms_of());
  std::set<ClientId> ids;
  std::set<std::string> secrets;
  for (const char* name : {"a", "b", "A"}) {
    Client client = *Client::open(terms_of(name), 1, device.ledger, device.store, device.entropy);
    ids.insert(client.id());
  }
  for (const auto& [record, bytes] : device.store.memory.records()) {
    if (record == "ledger") continue;
    // These bytes follow the terms, the id and the view: noise, coins and key.
    const std::string text(bytes.begin(), bytes.end());
    secrets.insert(text.substr(90, text.size() - 90 - sizeof(Digest)));
  }
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_EQ(secrets.size(), 3U);
}

TEST(ClientAttack, DamagedForeignAndOlderStatesAreRefused) {
  DeviceUnderTest device(terms_of());
  Client client = device.join();
  ASSERT_TRUE(client.observe(77, true));
  const std::string record = device.store.memory.records().rbegin()->first;
  const Bytes good = device.store.memory.records().at(record);
  const auto error_of = [&](const Bytes& bytes) {
    MemoryStateStore store = device.store.memory;
    EXPECT_TRUE(store.save(record, bytes));
    const Result<Client> loaded = reopen(device.terms, store);
    EXPECT_TRUE(loaded || loaded.error().code == ErrorCode::kDamaged);
    return loaded ? std::string("accepted") : loaded.error().message;
  };
  EXPECT_EQ(error_of(good), "accepted");
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    ASSERT_NE(error_of(bytes), "accepted") << bit;
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    ASSERT_NE(error_of(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))),
              "accepted");
  }
  Bytes bytes = good;
  bytes.push_back(0);
  EXPECT_EQ(error_of(bytes),
            "the saved client state is damaged or cut short: its checksum does not match");
  bytes = good;
  bytes[8] = 2;
  EXPECT_EQ(error_of(bytes), "the saved client state has version 2; this program reads version 1");
  EXPECT_EQ(error_of({'h', 'e', 'l', 'l', 'o'}),
            "the saved client state is not one: expected a file that starts with frclient");
  // Another metric's state stands under this one's name.
  ASSERT_TRUE(Client::open(terms_of("b"), 1, device.ledger, device.store, device.entropy));
  for (const auto& [name, foreign] : device.store.memory.records()) {
    MemoryStateStore store = device.store.memory;
    ASSERT_TRUE(store.save(record, foreign));
    EXPECT_EQ(bool(reopen(device.terms, store)), name == record);
  }
  // A damaged ledger stops joining.
  MemoryStateStore store = device.store.memory;
  Bytes ledger = store.records().at("ledger");
  ledger[20] ^= 1;
  ASSERT_TRUE(store.save("ledger", ledger));
  EXPECT_FALSE(Ledger::open(store, kCeiling));
  // So does a state without its ledger.
  MemoryStateStore no_ledger;
  ASSERT_TRUE(no_ledger.save(record, good));
  const Result<Client> orphan = reopen(device.terms, no_ledger);
  ASSERT_FALSE(orphan);
  EXPECT_EQ(orphan.error().code, ErrorCode::kDamaged);
}

TEST(ClientAttack, WithoutEntropyNothingIsSavedOrSpent) {
  for (const Protocol protocol : kProtocols) {
    const MetricTerms terms = terms_of("m", protocol, 64);
    for (std::size_t good = 0;; ++good) {
      CountingStore store;
      Ledger ledger = *Ledger::open(store, kCeiling);
      FailingSource entropy(good);
      const Result<Client> client = Client::open(terms, 1, ledger, store, entropy);
      if (client) {
        EXPECT_GE(good, 8U);  // id, view, noise, key
        break;
      }
      ASSERT_EQ(store.saves, 0);
      ASSERT_TRUE(ledger.entries().empty());
      ASSERT_TRUE(store.memory.records().empty());
      ASSERT_EQ(client.error().code, ErrorCode::kNoEntropy);
      ASSERT_NE(client.error().message.find("random source failed"), std::string::npos);
    }
  }
}

TEST(ClientAttack, AStoreThatFailsWhileJoiningSpendsButNeverSends) {
  for (int good = 0; good < 2; ++good) {
    DeviceUnderTest device(terms_of());
    device.store.good_saves = good;
    ASSERT_FALSE(Client::open(device.terms, 1, device.ledger, device.store, device.entropy));
    EXPECT_EQ(device.ledger.entries().size(), static_cast<std::size_t>(good));
    // The disk is back, and what was charged is spent for ever.
    MemoryStateStore copy = device.store.memory;
    EXPECT_EQ(reopen(device.terms, copy).error().code,
              good == 0 ? ErrorCode::kNoEntropy : ErrorCode::kRefused);
  }
}

}  // namespace
}  // namespace futurerand
