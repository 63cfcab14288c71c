// A device whose process is killed at any call of its file store to the operating system goes on:
// its records are whole, it joins once, sends no index twice, and loses nothing that it saved.
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/file_state_store.hpp"
#include "futurerand/client/test/store_calls.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/core/base/test/temporary_folder.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/sign_text.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::test {
namespace {

constexpr Period kPeriods = 4;

// What is sent is somebody else's: no call of this is the store's.
void send(Client& client, const std::string& file) {
  const StoreCalls calls = std::exchange(store_calls, {});
  std::ofstream(file, std::ios::binary | std::ios::app) << to_lines(client.outbox());
  store_calls = calls;
  if (!client.acknowledge(client.outbox().next_index)) std::abort();
}

struct Received {
  std::set<ClientId> ids;
  std::map<std::uint32_t, char> signs;
};

// Fails the test if an index came with both signs.
Received received(const std::string& sent) {
  Received all;
  std::ifstream file(sent, std::ios::binary);
  for (std::string text; std::getline(file, text);) {
    const Result<Line> line = parse_line(text);
    EXPECT_TRUE(line) << text;
    if (!line) continue;
    if (const auto* enrolment = std::get_if<Enrolment>(&*line)) all.ids.insert(enrolment->client);
    const auto* report = std::get_if<Report>(&*line);
    if (report == nullptr) continue;
    all.ids.insert(report->client);
    std::uint32_t index = report->first_index;
    for (const char sign : to_text(report->signs)) {
      const auto [seen, is_new] = all.signs.try_emplace(index, sign);
      EXPECT_EQ(seen->second, sign) << "index " << index << " was randomized twice";
      ++index;
    }
  }
  return all;
}

}  // namespace

void live(const StoreLife& life) {
  store_calls = life.calls;
  testing_sources::SeededSource entropy(static_cast<std::uint64_t>(life.attempt));
  Result<FileStateStore> store = FileStateStore::open(life.state);
  if (!store) std::abort();
  const Epsilon ceiling = *Epsilon::parse("1");
  Result<Ledger> ledger = Ledger::open(*store, ceiling);
  if (!ledger) std::abort();
  Result<Client> client =
      Client::open(terms_of("m", Protocol::kRepeated, kPeriods), 1, *ledger, *store, entropy);
  if (!client) {
    // It was killed when it had paid and not yet joined.
    if (client.error().code != ErrorCode::kRefused || ledger->entries().empty()) std::abort();
    return;
  }
  for (Period t = client->now() + 1; t <= kPeriods; ++t) {
    if (!client->observe(t, (t / 2 + static_cast<Period>(life.attempt)) % 2 == 1)) std::abort();
    send(*client, life.sent);
  }
  client->begin_period(kPeriods + 1);
  send(*client, life.sent);
}

namespace {

TEST(KilledStore, GoesOnAfterAKillAtEveryCall) {
  int calls = 0;
  int never_joined = 0;
  for (const bool half : {false, true}) {
    for (int call = 1;; ++call) {
      ASSERT_LT(call, 1000);
      const TemporaryFolder place;
      StoreLife life{place / "state", place / "sent", 1, {0, call, half}};
      const int ended = live_elsewhere(life);
      if (ended == 0) {
        calls = call - 1;
        break;
      }
      ASSERT_EQ(ended, kKilled) << "call " << call;
      SCOPED_TRACE(std::string("killed ") + (half ? "in" : "before") + " call " +
                   std::to_string(call));
      const Received before = received(life.sent);
      ASSERT_EQ(live_elsewhere({life.state, life.sent, 2}), 0);
      const Received after = received(life.sent);
      if (after.ids.empty()) {
        ++never_joined;
        EXPECT_TRUE(before.ids.empty());
        continue;
      }
      EXPECT_EQ(after.ids.size(), 1U) << "joined twice";
      EXPECT_EQ(after.signs.size(), kPeriods);
    }
  }
  // A life has five saves at least, of four calls each.
  EXPECT_GE(calls, 20);
  // Only between paying and joining is the metric lost.
  EXPECT_GE(never_joined, 1);
  EXPECT_LE(never_joined, 2 * 8);
}

// What another process has open is in use, and free once that is gone.
TEST(KilledStore, AKilledProcessLeavesTheLock) {
  const TemporaryFolder place;
  ASSERT_EQ(live_elsewhere({place / "state", place / "sent", 1, {0, 8, false}}), kKilled);
  EXPECT_TRUE(FileStateStore::open(place / "state"));
}

}  // namespace
}  // namespace futurerand::test
