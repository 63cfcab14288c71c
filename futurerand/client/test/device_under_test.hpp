// One device in a test: its store, its ledger and its entropy.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/client/client.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand::test {

inline const Epsilon kCeiling = *Epsilon::parse("3");

// This store fails from a given save on, and counts.
class CountingStore final : public StateStore {
 public:
  Result<std::optional<Bytes>> load(std::string_view record) override {
    return memory.load(record);
  }
  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override {
    if (saves++ >= good_saves) return Error{"the disk is full"};
    return memory.save(record, bytes);
  }
  Result<std::vector<std::string>> names() override { return memory.names(); }

  MemoryStateStore memory;
  int saves = 0;
  int good_saves = 1 << 30;
};

struct DeviceUnderTest {
  explicit DeviceUnderTest(const MetricTerms& metric, std::uint64_t seed = 1)
      : terms(metric), entropy(seed), ledger(*Ledger::open(store, kCeiling)) {}

  Client join(Period period = 1) { return *Client::open(terms, period, ledger, store, entropy); }

  MetricTerms terms;
  CountingStore store;
  testing_sources::SeededSource entropy;
  Ledger ledger;
};

// Goes on from what the store has, with a source that would fail if anything were drawn.
inline Result<Client> reopen(const MetricTerms& terms, StateStore& store) {
  Result<Ledger> ledger = Ledger::open(store, kCeiling);
  if (!ledger) return ledger.error();
  testing_sources::FailingSource nothing(0);
  return Client::open(terms, 1, *ledger, store, nothing);
}

// Returns all that it would send once the periods that it observed are over.
inline std::string sent(Client& client) {
  client.begin_period(client.now() + 1);
  return to_lines(client.outbox());
}

}  // namespace futurerand::test
