// What a user may be shown: the lines themselves, and what they cost.
#include "futurerand/client/history.hpp"

#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/test/device_under_test.hpp"
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
