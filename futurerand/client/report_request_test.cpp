// One request for several metrics: what is in it, and what each section's answer changes.
#include "futurerand/client/report_request.hpp"

#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/endless.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/wire/metric_sections.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {
namespace {

using test::CountingStore;
using test::endless_terms;
using test::EndlessDevice;
using test::terms_of;

std::string counted(std::uint64_t accepted, std::vector<LineError> errors = {}) {
  return to_json(ReportAnswer{{accepted, 0, errors.size(), 0}, std::move(errors)});
}

std::string lines_of(const std::string& request, const std::string& section) {
  const std::vector<MetricSection> sections = *split_sections(request);
  for (const MetricSection& each : sections) {
    if (each.metric == section) return std::string(each.lines);
  }
  return "none";
}

// Three metrics that report every period, in period 5.
class ReportRequest : public ::testing::Test {
 protected:
  ReportRequest() {
    for (const char* name : {"a", "b", "c"}) {
      clients_.push_back(*Client::open(terms_of(name, Protocol::kRepeated, 64, "0.5"), 1, ledger_,
                                       store_, entropy_));
      EXPECT_TRUE(clients_.back().observe(5, true));
    }
    for (Client& client : clients_) all_.push_back(&client);
    request_ = report_requests(all_).at(0);
  }
  std::string due(std::size_t client) const { return to_lines(clients_[client].outbox()); }
  RequestOutcome answered(const std::vector<SectionAnswer>& answers) {
    Result<RequestOutcome> outcome = apply_answer(all_, request_, to_json(answers));
    EXPECT_TRUE(outcome) << outcome.error().message;
    return *outcome;
  }

  CountingStore store_;
  testing_sources::SeededSource entropy_{1};
  Ledger ledger_ = *Ledger::open(store_, test::kCeiling);
  std::vector<Client> clients_;
  std::vector<Client*> all_;
  std::string request_;
};

TEST_F(ReportRequest, HasTheLinesOfAllOnce) {
  EXPECT_EQ(report_requests(all_).size(), 1U);
  EXPECT_EQ(request_, "{\"metric\":\"a\"}\n" + due(0) + "{\"metric\":\"b\"}\n" + due(1) +
                          "{\"metric\":\"c\"}\n" + due(2));
  const RequestOutcome outcome =
      answered({{"a", 200, counted(2)}, {"b", 200, counted(2)}, {"c", 200, counted(2)}});
  EXPECT_EQ(outcome.counts.accepted, 6U);
  EXPECT_TRUE(outcome.failures.empty());
  EXPECT_EQ(outcome.busy + outcome.lost, "");
  // Nothing is due: no request.
  EXPECT_TRUE(report_requests(all_).empty());
}

TEST_F(ReportRequest, ASectionThatIsNotTakenNowComesAgainAsItWas) {
  const std::string lines = due(1);
  for (const int status : {408, 429, 500, 503}) {
    const RequestOutcome outcome =
        answered({{"a", 200, counted(2)},
                  {"b", status, R"({"error":{"code":"rate","message":"too many lines"}})"},
                  {"c", 404, R"({"error":{"code":"unknown_metric","message":"no such metric"}})"}});
    EXPECT_EQ(outcome.busy, "{\"metric\":\"b\"}\n" + lines);
    ASSERT_TRUE(outcome.busy_error);
    EXPECT_EQ(outcome.busy_error->code, ErrorCode::kUnreachable);
    EXPECT_EQ(outcome.busy_error->message,
              "the collector answered " + std::to_string(status) + ": too many lines");
    ASSERT_EQ(outcome.failures.size(), 1U);
    EXPECT_EQ(outcome.failures[0].section, "c");
    EXPECT_EQ(outcome.failures[0].why.code, ErrorCode::kNotFound);
    EXPECT_EQ(due(0), "");
    EXPECT_EQ(due(1), lines);
    EXPECT_NE(due(2), "");
  }
  // The repeated section is a request of its own, whatever came due meanwhile.
  ASSERT_TRUE(clients_[1].observe(9, false));
  request_ = "{\"metric\":\"b\"}\n" + lines;
  EXPECT_EQ(answered({{"b", 200, counted(2)}}).counts.accepted, 2U);
  EXPECT_EQ(clients_[1].outbox().reports.at(0).first_index, 5U);
}

TEST_F(ReportRequest, WhatTheCollectorLostIsSentAgainWithItsEnrolment) {
  const std::string first = due(0);
  answered({{"a", 200, counted(2)}, {"b", 200, counted(2)}, {"c", 200, counted(2)}});
  for (Client& client : clients_) ASSERT_TRUE(client.observe(6, true));
  request_ = report_requests(all_).at(0);
  const RequestOutcome outcome = answered({{"a", 200, counted(0, {{1, "unknown_client", 0, {}}})},
                                           {"b", 200, counted(1)},
                                           {"c", 200, counted(0, {{1, "closed", 0, {}}})}});
  EXPECT_EQ(outcome.lost, "{\"metric\":\"a\"}\n" + due(0));
  EXPECT_TRUE(due(0).starts_with(first.substr(0, first.find('\n'))));
  EXPECT_EQ(outcome.counts.accepted, 1U);
  EXPECT_EQ(outcome.counts.rejected, 0U);
  ASSERT_EQ(outcome.failures.size(), 1U);
  EXPECT_EQ(outcome.failures[0].why.code, ErrorCode::kRefused);
}

// A metric that keeps no transcripts refuses, and the line that leaves goes out at once.
TEST_F(ReportRequest, ARefusedErasureLeavesAtOnce) {
  ASSERT_TRUE(clients_[0].forget(6));
  request_ = "{\"metric\":\"a\"}\n" + due(0);
  const RequestOutcome outcome = answered({{"a", 200, counted(0, {{1, "no_transcripts", 0, {}}})}});
  EXPECT_EQ(outcome.failures.size(), 1U);
  EXPECT_NE(outcome.lost.find("\"leave\":6"), std::string::npos) << outcome.lost;
}

TEST_F(ReportRequest, AnAnswerToSomethingElseChangesNothing) {
  const std::string good =
      to_json({{"a", 200, counted(2)}, {"b", 200, counted(2)}, {"c", 200, counted(2)}});
  const std::vector<std::string> wrong = {
      "",
      "{}",
      "{\"metrics\":[]}",
      to_json({{"a", 200, counted(2)}}),
      to_json({{"b", 200, counted(2)}, {"a", 200, counted(2)}, {"c", 200, counted(2)}}),
      "<html>log in</html>"};
  for (const std::string& answer : wrong) {
    const Result<RequestOutcome> outcome = apply_answer(all_, request_, answer);
    ASSERT_FALSE(outcome) << answer;
    EXPECT_EQ(outcome.error().code, ErrorCode::kUntrusted);
  }
  EXPECT_EQ(apply_answer(all_, "no lines\n", good).error().code, ErrorCode::kInvalid);
  // Counts that do not fit, no counts, and lines of another client are failures of their section.
  const RequestOutcome outcome =
      answered({{"a", 200, counted(3)}, {"b", 200, "{}"}, {"c", 200, "1"}});
  EXPECT_EQ(outcome.failures.size(), 3U);
  const std::string b = lines_of(request_, "b");
  request_ = "{\"metric\":\"a\"}\n" + b + "{\"metric\":\"x\"}\n" + b;
  EXPECT_EQ(answered({{"a", 200, counted(2)}, {"x", 200, counted(2)}}).failures.size(), 2U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(due(i), "");
}

// A save that fails for one metric does not hold up the others.
TEST_F(ReportRequest, AClientThatCannotSaveFailsAlone) {
  store_.good_saves = store_.saves + 1;
  const RequestOutcome outcome =
      answered({{"a", 200, counted(2)}, {"b", 200, counted(2)}, {"c", 200, counted(2)}});
  EXPECT_EQ(outcome.failures.size(), 2U);
  EXPECT_EQ(due(0), "");
  EXPECT_NE(due(1), "");
}

TEST(ReportRequests, SeasonsAreSectionsAndManyMetricsAreSeveralRequests) {
  CountingStore store;
  testing_sources::SeededSource entropy(3);
  Ledger ledger = *Ledger::open(store, *Epsilon::parse("16"));
  std::vector<Client> clients;
  for (std::size_t i = 0; i < kMaxSections + 1; ++i) {
    clients.push_back(
        *Client::open(terms_of("m" + std::to_string(i), Protocol::kRepeated, 8, "0.1"), 1, ledger,
                      store, entropy));
  }
  std::vector<Client*> all;
  for (Client& client : clients) all.push_back(&client);
  const std::vector<std::string> requests = report_requests(all);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(split_sections(requests[0])->size(), kMaxSections);
  EXPECT_EQ(split_sections(requests[1])->size(), 1U);

  EndlessDevice device(endless_terms({.rest = 0}));
  std::optional<std::uint64_t> first;
  std::int64_t t = 1;
  for (; !first || device.season() == first; ++t) {
    ASSERT_TRUE(device.contact(t, true));
    if (!first) first = device.season();
  }
  // The season that is over, and the next one. In one request they would be one device's.
  const std::vector<std::string> both = report_requests(device.client->parts());
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(split_sections(both[0])->size(), 1U);
  EXPECT_TRUE(both[0].starts_with("{\"metric\":\"endless\",\"season\":" + std::to_string(*first)));
}

}  // namespace
}  // namespace futurerand
