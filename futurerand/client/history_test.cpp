// What a user may be shown: the lines themselves, and what they cost.
#include "futurerand/client/history.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/endless.hpp"
#include "futurerand/client/test/terms.hpp"

namespace futurerand {
namespace {

using test::DeviceUnderTest;
using test::terms_of;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(History, HasTheLinesThatWereSentAndThatWait) {
  for (const Protocol protocol : kProtocols) {
    DeviceUnderTest device(terms_of("m", protocol, 90));
    Client client = device.join(3);
    const auto metric = [&] { return read_history(device.ledger, device.store)->metrics.at(0); };
    EXPECT_EQ(metric().sent, std::vector<std::string>());
    EXPECT_EQ(joined(metric().waiting), to_lines(client.outbox()));
    ASSERT_TRUE(client.observe(90, true));
    client.begin_period(91);
    const std::string first = to_lines(client.outbox());
    EXPECT_EQ(joined(metric().waiting), first) << name_of(protocol);
    ASSERT_TRUE(client.acknowledge(client.outbox().next_index));
    EXPECT_EQ(joined(metric().sent), first);
    EXPECT_EQ(metric().waiting, std::vector<std::string>());
    EXPECT_EQ(metric().standing, Standing::kTakesPart);
    ASSERT_TRUE(client.forget(90));
    EXPECT_EQ(joined(metric().waiting), to_lines(client.outbox()));
    EXPECT_EQ(metric().standing, Standing::kForgotten);
    EXPECT_EQ(metric().entry.epsilon, device.terms.plan.plan().epsilon);
  }
}

TEST(History, SaysWhatAnEpsilonMeans) {
  const auto bound = [](const char* epsilon) {
    const std::string words = odds_in_words(Epsilon::parse(epsilon)->nanos());
    return words.substr(words.rfind(' ') + 1);
  };
  EXPECT_EQ(odds_in_words(1'000'000'000),
            "whatever anyone thought before, 50% cannot become more than 73%");
  EXPECT_EQ(bound("0.1"), "52%");
  EXPECT_EQ(bound("2"), "88%");
  EXPECT_EQ(bound("4"), "98%");
  EXPECT_EQ(bound("8"), "99.97%");  // never 100%
  EXPECT_EQ(odds_in_words(0), "whatever anyone thought before, 50% cannot become more than 50%");
}

TEST(History, TheUsersDecisionIsRememberedAndDamageIsNotConsent) {
  MemoryStateStore store;
  EXPECT_EQ(*read_participation(store), UserDecision::kOn);
  EXPECT_FALSE(*remembers_participation(store));
  for (const UserDecision decision :
       {UserDecision::kOff, UserDecision::kLocalOnly, UserDecision::kOn}) {
    ASSERT_TRUE(save_participation(store, decision));
    EXPECT_EQ(*read_participation(store), decision);
    EXPECT_EQ(participation_named(name_of(decision)), decision);
  }
  EXPECT_TRUE(*remembers_participation(store));
  EXPECT_FALSE(participation_named("yes"));
  Bytes changed = store.records().at("participation");
  changed.back() ^= 1;
  ASSERT_TRUE(store.save("participation", changed));
  EXPECT_EQ(read_participation(store).error().code, ErrorCode::kDamaged);
}

// A user who sees an ended season must not think that something went wrong. A season is lost only
// if the device was killed between paying and joining.
TEST(History, ASeasonThatIsOverIsNotLost) {
  test::EndlessDevice device(test::endless_terms({6, 6, 6}));
  test::SeenLines seen;
  const auto standings = [&] {
    std::vector<std::pair<std::uint64_t, Standing>> all;
    const DeviceHistory history = *read_history(*device.ledger, device.store);
    for (const MetricHistory& metric : history.metrics) {
      all.emplace_back(metric.entry.season, metric.standing);
      EXPECT_EQ(metric.sent.empty() && metric.waiting.empty(),
                metric.standing == Standing::kOver || metric.standing == Standing::kLost);
    }
    return all;
  };
  std::uint64_t season_now = 0;
  int rests = 0;
  // The ledger sums up the seasons before the last one.
  for (std::int64_t t = 1; t < 60 || !device.season(); ++t) {
    ASSERT_TRUE(device.contact(t, true));
    ASSERT_TRUE(seen.drain(*device.client));
    const auto all = standings();
    if (device.season()) {
      season_now = *device.season();
      ASSERT_FALSE(all.empty());
      EXPECT_EQ(all.back(), std::pair(season_now, Standing::kTakesPart)) << t;
    } else if (season_now != 0 && device.client->parts().empty()) {
      EXPECT_EQ(all, (std::vector{std::pair(season_now, Standing::kOver)})) << t;
      ++rests;
    }
  }
  EXPECT_GE(rests, 6);
  const std::string season = std::to_string(season_now);
  const DeviceHistory shown = *read_history(*device.ledger, device.store);
  EXPECT_NE(to_json(shown).find("{\"metric\":\"endless\",\"season\":" + season + ",\"epsilon\""),
            std::string::npos);
  EXPECT_NE(to_text(shown).find("endless, season " + season + ": epsilon 0.5, takes_part"),
            std::string::npos);

  // Killed at every save.
  int lost = 0;
  for (int cut = 1; cut < 8; ++cut) {
    test::EndlessDevice killed(test::endless_terms({6, 6, 6}));
    killed.store.good_saves = cut;
    for (std::int64_t t = 1; t < 20 && killed.contact(t, true);) ++t;
    killed.store.good_saves = 1 << 30;
    killed.start();
    const auto& records = killed.store.memory.records();
    const bool joined = std::any_of(records.begin(), records.end(), [](const auto& record) {
      return is_metric_record(record.first);
    });
    const DeviceHistory history = *read_history(*killed.ledger, killed.store);
    for (const MetricHistory& metric : history.metrics) {
      EXPECT_EQ(metric.standing, joined ? Standing::kTakesPart : Standing::kLost) << cut;
      lost += joined ? 0 : 1;
    }
  }
  EXPECT_EQ(lost, 1);
}

TEST(History, IsOneDocument) {
  DeviceUnderTest device(terms_of());
  Client client = device.join(3);
  const std::string json = to_json(*read_history(device.ledger, device.store));
  const std::string client_line = to_lines(client.outbox());
  EXPECT_EQ(json.find("{\"participation\":\"on\",\"machine\":\"unbound\",\"ceiling\":\"3\","
                      "\"spent\":\"1\",\"left\":\"2\""),
            0U)
      << json;
  EXPECT_NE(json.find("\"standing\":\"takes_part\",\"sent\":[],\"waiting\":["), std::string::npos);
  EXPECT_NE(to_text(*read_history(device.ledger, device.store))
                .find("waiting  " + client_line.substr(0, client_line.size() - 1)),
            std::string::npos);
}

}  // namespace
}  // namespace futurerand
