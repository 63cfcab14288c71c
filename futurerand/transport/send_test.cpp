#include "futurerand/transport/send.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/device/test/sources.hpp"
#include "futurerand/transport/test/scripted_server.hpp"
#include "futurerand/wire/metric_sections.hpp"
#include "futurerand/wire/sign_text.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using testing_sources::SeededSource;

// Clients of one metric that report every period, in period 10: nine signs each are over.
class SendTest : public ::testing::Test {
 protected:
  SendTest() {
    for (std::size_t i = 0; i < 3; ++i) {
      Ledger ledger = *Ledger::open(stores_[i], *Epsilon::parse("2"));
      clients_.push_back(*Client::open(terms_, 1, ledger, stores_[i], entropy_));
      EXPECT_TRUE(clients_[i].observe(10, true));
    }
    for (Client& client : clients_) pointers_.push_back(&client);
  }

  SentBatch send(ReportAnswer answer) {
    Result<SentBatch> sent = send_batch(pointers_, [&](std::string_view lines) {
      lines_ = lines;
      return Result<ReportAnswer>(answer);
    });
    EXPECT_TRUE(sent);
    return *std::move(sent);
  }

  MetricTerms terms_{
      "m",
      *CertifiedPlan::create(*make_plan(Protocol::kRepeated, 64, 1, *Epsilon::parse("1"))),
      {0, 0}};
  MemoryStateStore stores_[3];
  SeededSource entropy_{1};
  std::vector<Client> clients_;
  std::vector<Client*> pointers_;
  std::string lines_;
};

TEST_F(SendTest, AcknowledgesWhatTheCollectorHas) {
  const SentBatch sent = send({{6, 0, 0}, {}});
  EXPECT_EQ(std::count(lines_.begin(), lines_.end(), '\n'), 6);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(sent.clients[i].acknowledged);
    EXPECT_EQ(sent.clients[i].next_index, 10U);
    EXPECT_EQ(sent.clients[i].outbox.reports[0].signs.size(), 9U);
    EXPECT_EQ(clients_[i].outbox().num_lines(), 0U);
  }
  // Nothing is left to send: nobody is asked.
  lines_ = "untouched";
  send({});
  EXPECT_EQ(lines_, "untouched");
}

TEST_F(SendTest, KeepsWhatTheCollectorsClockHasNotReached) {
  const SentBatch sent = send({{6, 0, 0}, {{4, "early", 7}}});
  EXPECT_EQ(sent.clients[1].next_index, 7U);
  EXPECT_TRUE(sent.clients[1].acknowledged);
  EXPECT_EQ(clients_[0].outbox().num_lines(), 0U);
  ASSERT_EQ(clients_[1].outbox().num_lines(), 1U);
  EXPECT_EQ(clients_[1].outbox().reports[0].first_index, 7U);
  EXPECT_EQ(clients_[2].outbox().num_lines(), 0U);
}

TEST_F(SendTest, ARefusalIsOneClientsOnlyAndLosesNothing) {
  const SentBatch sent = send({{4, 0, 2}, {{3, "closed"}, {4, "unknown_client"}}});
  ASSERT_TRUE(sent.clients[1].refusal);
  EXPECT_EQ(sent.clients[1].refusal->code, ErrorCode::kRefused);
  EXPECT_EQ(clients_[1].outbox().num_lines(), 2U);
  EXPECT_FALSE(sent.clients[0].refusal);
  EXPECT_TRUE(sent.clients[2].acknowledged);
}

TEST_F(SendTest, AGapThatTheDeviceCannotFillIsARefusal) {
  send({{6, 0, 0}, {}});
  for (Client& client : clients_) ASSERT_TRUE(client.observe(20, false));
  const SentBatch sent = send({{2, 0, 1}, {{2, "gap", 40}}});
  ASSERT_TRUE(sent.clients[1].refusal);
  EXPECT_NE(sent.clients[1].refusal->message.find("expects index 40"), std::string::npos);
  EXPECT_EQ(clients_[1].outbox().reports[0].first_index, 10U);
}

TEST_F(SendTest, WhatTheCollectorLostIsSentAgain) {
  send({{6, 0, 0}, {}});
  const std::string before = lines_;
  for (Client& client : clients_) ASSERT_TRUE(client.observe(11, false));
  const SentBatch sent = send({{1, 0, 2}, {{1, "unknown_client"}, {2, "gap", 4}}});
  EXPECT_TRUE(sent.clients[0].again);
  EXPECT_TRUE(sent.clients[1].again);
  EXPECT_TRUE(sent.clients[2].acknowledged);
  send({{3, 0, 0}, {}});
  // The first client's enrolment and signs are as they were, and one more sign.
  const std::size_t known = before.find("\"}\n", before.find("signs"));
  EXPECT_EQ(lines_.substr(0, known), before.substr(0, known));
  EXPECT_EQ(std::count(lines_.begin(), lines_.end(), '\n'), 3);
  for (const Client& client : clients_) EXPECT_EQ(client.outbox().num_lines(), 0U);
}

TEST_F(SendTest, ErrorsThatAreNotShownLeaveTheOutboxAsItIs) {
  const SentBatch sent = send({{1, 0, 5}, {{2, "early", 9}}, 4});
  EXPECT_FALSE(sent.clients[0].acknowledged);
  EXPECT_FALSE(sent.clients[2].acknowledged);
  EXPECT_EQ(clients_[2].outbox().num_lines(), 2U);
}

TEST_F(SendTest, NoAnswerLeavesTheOutboxAsItIs) {
  const Result<SentBatch> sent = send_batch(pointers_, [](std::string_view) {
    return Result<ReportAnswer>(Error{"no answer", ErrorCode::kUnreachable});
  });
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kUnreachable);
  for (const Client& client : clients_) EXPECT_EQ(client.outbox().num_lines(), 2U);
}

// One device with three metrics, over a real connection.
class SendAllTest : public ::testing::Test {
 protected:
  SendAllTest() {
    for (const char* name : {"a", "b", "c"}) {
      MetricTerms terms = terms_;
      terms.name = name;
      clients_.push_back(*Client::open(terms, 1, ledger_, store_, entropy_));
      EXPECT_TRUE(clients_.back().observe(5, true));
    }
    for (Client& client : clients_) all_.push_back(&client);
  }

  // Answers each request with the next of these.
  Result<LineCounts> answered(std::vector<std::vector<SectionAnswer>> answers,
                              std::uint32_t attempts = 4) {
    std::size_t at = 0;
    test::ScriptedServer server([&](int socket) {
      const std::string body = to_json(answers[std::min(at++, answers.size() - 1)]);
      test::write(socket, test::reply("200 OK", "", body.size()) + body);
    });
    HttpConnection connection = server.connect();
    const RetryTools tools{[] { return ~std::uint64_t{0}; },
                           [&](std::chrono::milliseconds pause) { pauses_.push_back(pause); }};
    RetryPolicy policy;
    policy.attempts = attempts;
    Result<LineCounts> sent = futurerand::send(all_, connection, policy, tools);
    bodies_ = server.bodies();
    return sent;
  }
  static SectionAnswer took(const std::string& name, std::uint64_t lines = 2) {
    return {name, 200, to_json(ReportAnswer{{lines, 0, 0, 0}, {}})};
  }
  static SectionAnswer busy(const std::string& name, int status) {
    return {name, status, R"({"error":{"code":"rate","message":"too many lines"}})"};
  }
  std::string due(std::size_t client) const { return to_lines(clients_[client].outbox()); }

  MetricTerms terms_{
      "a",
      *CertifiedPlan::create(*make_plan(Protocol::kRepeated, 64, 1, *Epsilon::parse("0.5"))),
      {0, 0}};
  MemoryStateStore store_;
  SeededSource entropy_{1};
  Ledger ledger_ = *Ledger::open(store_, *Epsilon::parse("4"));
  std::vector<Client> clients_;
  std::vector<Client*> all_;
  std::vector<std::string> bodies_;
  std::vector<std::chrono::milliseconds> pauses_;
};

TEST_F(SendAllTest, IsOneRequest) {
  const Result<LineCounts> sent = answered({{took("a"), took("b"), took("c")}});
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(sent->accepted, 6U);
  EXPECT_EQ(bodies_.size(), 1U);
  // Nothing is due: nobody is asked.
  EXPECT_EQ(answered({{}})->accepted, 0U);
  EXPECT_TRUE(bodies_.empty());
}

TEST_F(SendAllTest, ASectionThatIsNotTakenNowIsSentAgainAfterAPause) {
  const std::string b = "{\"metric\":\"b\"}\n" + due(1);
  const Result<LineCounts> sent =
      answered({{took("a"), busy("b", 429), took("c")}, {busy("b", 503)}, {took("b")}});
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(sent->accepted, 6U);
  ASSERT_EQ(bodies_.size(), 3U);
  EXPECT_NE(bodies_[0].find(b), std::string::npos);
  EXPECT_EQ(bodies_[1], b);
  EXPECT_EQ(bodies_[2], b);
  EXPECT_EQ(pauses_.size(), 2U);
}

TEST_F(SendAllTest, ItGivesUpAndTheLinesWait) {
  const Result<LineCounts> sent =
      answered({{took("a"), busy("b", 503), took("c")}, {busy("b", 503)}}, 3);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kUnreachable);
  EXPECT_EQ(bodies_.size(), 3U);
  EXPECT_EQ(pauses_.size(), 2U);
  EXPECT_EQ(due(0) + due(2), "");
  EXPECT_NE(due(1), "");
}

TEST_F(SendAllTest, WhatWasLostIsSentOnceMore) {
  ASSERT_TRUE(answered({{took("a"), took("b"), took("c")}}));
  for (Client& client : clients_) ASSERT_TRUE(client.observe(6, true));
  const std::string lost = to_json(ReportAnswer{{0, 0, 1, 0}, {{1, "unknown_client", 0, {}}}});
  const Result<LineCounts> sent =
      answered({{took("a", 1), {"b", 200, lost}, took("c", 1)}, {took("b")}});
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(sent->accepted, 4U);
  EXPECT_EQ(sent->rejected, 0U);
  EXPECT_EQ(bodies_.size(), 2U);
  EXPECT_TRUE(pauses_.empty());
  // A collector that always asks for more waits until the next time.
  for (Client& client : clients_) ASSERT_TRUE(client.observe(7, true));
  const std::string two = to_json(ReportAnswer{{0, 0, 2, 0}, {{1, "gap", 1, {}}}});
  (void)answered({{took("a", 1), {"b", 200, lost}, took("c", 1)}, {{"b", 200, two}}});
  EXPECT_EQ(bodies_.size(), 2U);
}

// Returns the signs of a request by index. No index may occur twice.
std::map<std::uint32_t, char> signs_of(const std::string& request) {
  std::map<std::uint32_t, char> signs;
  const Result<std::vector<MetricSection>> sections = split_sections(request);
  EXPECT_TRUE(sections && sections->size() == 1);
  std::istringstream lines{std::string(sections->front().lines)};
  for (std::string line; std::getline(lines, line);) {
    const Result<Line> read = parse_line(line);
    EXPECT_TRUE(read) << line.substr(0, 80);
    const auto* report = std::get_if<Report>(&*read);
    if (report == nullptr) continue;
    std::uint32_t index = report->first_index;
    for (const char sign : to_text(report->signs)) {
      EXPECT_TRUE(signs.emplace(index, sign).second) << index;
      ++index;
    }
  }
  return signs;
}

// What is due takes two lines. A restored collector rejects both, and gets each lost sign once.
TEST_F(SendAllTest, WhatWasLostBeforeTwoLinesIsSentOnceMore) {
  MetricTerms terms = terms_;
  terms.name = "long";
  terms.plan =
      *CertifiedPlan::create(*make_plan(Protocol::kRepeated, 1 << 17, 1, *Epsilon::parse("0.5")));
  Client client = *Client::open(terms, 1, ledger_, store_, entropy_);
  all_ = {&client};
  std::map<std::uint32_t, char> known;
  const auto expect_again = [&](std::uint32_t from, std::uint32_t to) {
    const std::map<std::uint32_t, char> again = signs_of(bodies_.at(1));
    EXPECT_EQ(again.begin()->first, from);
    EXPECT_EQ(again.rbegin()->first, to);
    EXPECT_EQ(again.size(), to - from + 1);
    for (const auto& [index, sign] : again) {
      ASSERT_EQ(known.emplace(index, sign).first->second, sign) << index;
    }
  };
  ASSERT_TRUE(client.observe(10, true));
  ASSERT_TRUE(answered({{took("long")}}));
  known = signs_of(bodies_.at(0));
  ASSERT_EQ(known.size(), 9U);

  ASSERT_TRUE(client.observe(70'010, false));
  ASSERT_EQ(client.outbox().num_lines(), 2U);
  const std::string unknown =
      to_json(ReportAnswer{{0, 0, 2, 0}, {{1, "unknown_client"}, {2, "unknown_client"}}});
  ASSERT_TRUE(answered({{{"long", 200, unknown}}, {took("long", 3)}}));
  ASSERT_EQ(bodies_.size(), 2U);
  known.merge(signs_of(bodies_[0]));
  EXPECT_NE(bodies_[1].find("view"), std::string::npos);
  expect_again(1, 70'009);
  EXPECT_EQ(client.outbox().num_lines(), 0U);

  ASSERT_TRUE(client.observe(130'100, false));
  ASSERT_EQ(client.outbox().num_lines(), 2U);
  const std::string gap = to_json(ReportAnswer{{0, 0, 2, 0}, {{1, "gap", 4}, {2, "gap", 4}}});
  ASSERT_TRUE(answered({{{"long", 200, gap}}, {took("long", 3)}}));
  ASSERT_EQ(bodies_.size(), 2U);
  EXPECT_EQ(bodies_[1].find("view"), std::string::npos);
  known.merge(signs_of(bodies_[0]));
  expect_again(4, 130'099);
  EXPECT_EQ(client.outbox().num_lines(), 0U);
}

TEST_F(SendAllTest, OneRefusalDoesNotHoldUpTheOthers) {
  const std::string closed = to_json(ReportAnswer{{0, 0, 2, 0}, {{1, "closed", 0, {}}}});
  const Result<LineCounts> sent =
      answered({{{"a", 200, closed}, busy("b", 500), took("c")}, {took("b")}});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::kRefused);
  EXPECT_NE(due(0), "");
  EXPECT_EQ(due(1) + due(2), "");
}

}  // namespace
}  // namespace futurerand
