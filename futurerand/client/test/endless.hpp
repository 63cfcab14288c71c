// A device in a metric without an end, for tests: its clock, store and ledger, and a collector that
// takes all lines and remembers them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/rolling_client.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/sign_text.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::test {

inline constexpr std::int64_t kStart = 10'000, kSeconds = 100;

struct EndlessShape {
  std::int64_t season = 6, every = 2, rest = 4;
  const char* epsilon = "0.5";
  Protocol protocol = Protocol::kInnovation;
};

inline MetricTerms endless_terms(const EndlessShape& shape = {}, std::string name = "endless") {
  MetricTerms terms{
      std::move(name),
      *CertifiedPlan::create(*make_plan(shape.protocol, static_cast<Period>(shape.season),
                                        shape.season == 1 ? 0 : 1, *Epsilon::parse(shape.epsilon),
                                        Initial::kUnknown)),
      {kStart, kSeconds}};
  terms.seasons = *Calendar::create(shape.season, shape.every, shape.rest);
  return terms;
}

// Returns a second in the middle of a period.
inline std::int64_t second_of(std::int64_t period) { return kStart + (period - 1) * kSeconds + 50; }

// What a collector saw. It checks that no index of a client ever has two symbols.
struct SeenLines {
  std::map<std::string, std::map<std::uint32_t, char>> signs;            // by client
  std::map<std::uint64_t, std::map<std::string, Enrolment>> enrolments;  // by season, then client

  void take(std::uint64_t season, const Outbox& outbox) {
    if (outbox.enrolment) {
      const std::string id = to_hex(outbox.enrolment->client);
      const auto [at, is_new] = enrolments[season].try_emplace(id, *outbox.enrolment);
      EXPECT_EQ(at->second, *outbox.enrolment);
    }
    for (const Report& report : outbox.reports) {
      const std::string id = to_hex(report.client);
      EXPECT_TRUE(enrolments[season].contains(id)) << "season " << season;
      std::uint32_t index = report.first_index;
      for (const char symbol : to_text(report.signs)) {
        const auto [at, is_new] = signs[id].try_emplace(index++, symbol);
        EXPECT_EQ(at->second, symbol) << "an index was randomized twice";
      }
    }
  }
  // Takes and acknowledges all that is due.
  Status drain(RollingClient& client) {
    for (Client* part : client.parts()) {
      const Outbox outbox = part->outbox();
      take(part->season(), outbox);
      if (outbox.num_lines() == 0) continue;
      if (const Status known = part->acknowledge(outbox.next_index); !known) return known;
    }
    return {};
  }
};

struct EndlessDevice {
  explicit EndlessDevice(const MetricTerms& metric, std::uint64_t seed = 1,
                         Ledger::Limits allowed = {*Epsilon::parse("16")})
      : terms(metric), limits(allowed), entropy(seed) {
    start();
  }

  // Opens all from what the store has, as after a restart.
  void start() {
    client.reset();
    ledger.reset();
    ledger.emplace(*Ledger::open(store, limits));
  }
  // Opens the client, if it is not, and observes in this period; the clock may be another one.
  Status contact(std::int64_t period, bool value, std::optional<std::int64_t> clock = {}) {
    ledger->believe(clock ? *clock : second_of(period));
    if (!client) {
      Result<RollingClient> opened =
          RollingClient::open(terms, static_cast<Period>(period), *ledger, store, entropy);
      if (!opened) return opened.error();
      client.emplace(*std::move(opened));
    }
    return client->observe(static_cast<Period>(period), value);
  }
  std::optional<std::uint64_t> season() const {
    return client->live() ? std::optional(client->live()->season()) : std::nullopt;
  }
  std::uint32_t phase() const { return ledger->find_series(terms.name)->phase; }

  MetricTerms terms;
  Ledger::Limits limits;
  CountingStore store;
  testing_sources::SeededSource entropy;
  std::optional<Ledger> ledger;
  std::optional<RollingClient> client;
};

}  // namespace futurerand::test
