// The order of a device's saves, and the state after a failed save.
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

using test::terms_of;

// Notes what is saved, and fails at every save that `fails` says.
class NotedStore final : public StateStore {
 public:
  Result<std::optional<Bytes>> load(std::string_view record) override {
    return memory.load(record);
  }
  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override {
    saved.emplace_back(record);
    if (fail_next > 0) {
      --fail_next;
      return Error{"the disk is full", ErrorCode::kNoRoom};
    }
    return memory.save(record, bytes);
  }
  Result<std::vector<std::string>> names() override { return memory.names(); }

  MemoryStateStore memory;
  std::vector<std::string> saved;
  int fail_next = 0;
};

// What may have been sent must have been paid for.
TEST(SaveOrder, TheLedgerComesBeforeTheState) {
  for (const Protocol protocol : kProtocols) {
    NotedStore store;
    testing_sources::SeededSource entropy(1);
    Ledger ledger = *Ledger::open(store, *Epsilon::parse("4"));
    ASSERT_TRUE(Client::open(terms_of("m", protocol), 1, ledger, store, entropy));
    EXPECT_EQ(store.saved, (std::vector<std::string>{"ledger", metric_record("m")}));
    // A ledger that cannot be saved leaves no state, and nothing to send.
    NotedStore full;
    full.fail_next = 1;
    Ledger other = *Ledger::open(full, *Epsilon::parse("4"));
    EXPECT_FALSE(Client::open(terms_of("m", protocol), 1, other, full, entropy));
    EXPECT_TRUE(full.memory.records().empty());
  }
}

TEST(SaveOrder, ACeilingIsNotExceededByABillionth) {
  for (const auto& [first, second, fits] :
       {std::tuple{"0.5", "0.5", true}, std::tuple{"0.5", "0.500001", false},
        std::tuple{"0.5", "0.500000001", false}, std::tuple{"0.999999999", "0.000001", false}}) {
    MemoryStateStore store;
    testing_sources::SeededSource entropy(1);
    Ledger ledger = *Ledger::open(store, *Epsilon::parse("1"));
    ASSERT_TRUE(
        Client::open(terms_of("a", Protocol::kOptimal, 64, first), 1, ledger, store, entropy));
    const Result<Client> client =
        Client::open(terms_of("b", Protocol::kOptimal, 64, second), 1, ledger, store, entropy);
    EXPECT_EQ(static_cast<bool>(client), fits) << first << " and " << second;
    EXPECT_EQ(store.records().size(), fits ? 3U : 2U);
    if (!fits) {
      EXPECT_EQ(client.error().code, ErrorCode::kRefused);
    }
  }
}

// Saves fail again and again over a long horizon. In the end the device has sent the same as a
// device without failures. So a failed save used up neither coins nor noise.
TEST(SaveOrder, ASaveThatFailsUsesNothingUp) {
  for (const Protocol protocol : kProtocols) {
    NotedStore good, faulty;
    testing_sources::SeededSource entropy(7), same_entropy(7);
    Ledger ledger = *Ledger::open(good, *Epsilon::parse("4"));
    Ledger same_ledger = *Ledger::open(faulty, *Epsilon::parse("4"));
    const MetricTerms terms = terms_of("m", protocol, 300);
    Client client = *Client::open(terms, 1, ledger, good, entropy);
    Client same = *Client::open(terms, 1, same_ledger, faulty, same_entropy);
    for (Period period = 1; period <= 300; ++period) {
      const bool value = period % 70 > 35;
      ASSERT_TRUE(client.observe(period, value));
      faulty.fail_next = static_cast<int>(period % 3);
      while (faulty.fail_next > 0) {
        const std::string before = to_lines(same.outbox());
        ASSERT_FALSE(same.observe(period, value));
        const std::string after = to_lines(same.outbox());
        // What was saved before may have become due, since the period has begun.
        ASSERT_EQ(after.substr(0, before.size() - std::min<std::size_t>(before.size(), 3)),
                  before.substr(0, before.size() - std::min<std::size_t>(before.size(), 3)));
      }
      ASSERT_TRUE(same.observe(period, value));
      ASSERT_EQ(to_lines(same.outbox()), to_lines(client.outbox())) << name_of(protocol) << period;
      ASSERT_EQ(faulty.memory.records(), good.memory.records()) << name_of(protocol) << period;
    }
  }
}

// Nothing is acknowledged for a whole horizon, and the device starts anew in every period: its
// coins and noise are those of one that never stops, however long the outbox is.
TEST(SaveOrder, ALongOutboxKeepsCoinsAndNoise) {
  for (const Protocol protocol : kProtocols) {
    MemoryStateStore store, other;
    testing_sources::SeededSource entropy(9), same_entropy(9);
    Ledger ledger = *Ledger::open(store, *Epsilon::parse("4"));
    Ledger same_ledger = *Ledger::open(other, *Epsilon::parse("4"));
    const MetricTerms terms = terms_of("m", protocol, 500);
    Client client = *Client::open(terms, 1, ledger, store, entropy);
    std::optional<Client> same = *Client::open(terms, 1, same_ledger, other, same_entropy);
    for (Period period = 1; period <= 500; ++period) {
      const bool value = period % 50 > 25;
      ASSERT_TRUE(client.observe(period, value));
      same.reset();
      same.emplace(*Client::open(terms, 1, same_ledger, other, same_entropy));
      ASSERT_TRUE(same->observe(period, value));
      ASSERT_EQ(to_lines(same->outbox()), to_lines(client.outbox())) << name_of(protocol) << period;
    }
  }
}

// A lease that is moved, and moved back, is the one lease still, with all that it knew.
TEST(SaveOrder, ALeaseThatIsMovedBackIsTheOneLeaseStill) {
  MemoryStateStore store;
  const auto sealed = [](const RecordLease& lease) {
    SealedWriter writer("frledger", lease.next_revision());
    return Bytes(writer.seal());
  };
  RecordLease lease = *store.lease("m");
  ASSERT_TRUE(lease.load());
  ASSERT_TRUE(lease.save(sealed(lease)));
  const Bytes first = store.records().at("m");
  RecordLease moved = std::move(lease);
  EXPECT_FALSE(store.lease("m"));
  EXPECT_EQ(moved.next_revision().generation, 2U);
  lease = std::move(moved);
  EXPECT_FALSE(store.lease("m"));
  ASSERT_TRUE(lease.save(sealed(lease)));
  EXPECT_EQ(lease.next_revision().generation, 3U);
  // Assigning to a lease gives the record up that it had.
  RecordLease other = *store.lease("other");
  other = std::move(lease);
  EXPECT_TRUE(store.lease("other"));
  EXPECT_FALSE(store.lease("m"));
  ASSERT_TRUE(other.save(sealed(other)));  // it knows the record that it replaces
  // Its own earlier record is not the one that it replaces.
  ASSERT_TRUE(store.save("m", first));
  const Status refused = other.save(sealed(other));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_TRUE(other.stopped());
  lease = std::move(other);
  EXPECT_TRUE(lease.stopped());  // for good, wherever it is moved
  EXPECT_FALSE(lease.save(sealed(lease)));
}

}  // namespace
}  // namespace futurerand
