// A collector that lost acknowledged reports: it restored an older backup, or claims so.
// The device sends the same signs again, and draws nothing.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/acknowledge.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/wire/sign_text.hpp"

namespace futurerand {
namespace {

using test::DeviceUnderTest;
using test::terms_of;

struct PlanOfDevice {
  Protocol protocol;
  const char* epsilon;
};
constexpr PlanOfDevice kPlans[] = {
    {Protocol::kRepeated, "1"}, {Protocol::kInnovation, "1"}, {Protocol::kOptimal, "1"},
    {Protocol::kSnapshot, "1"}, {Protocol::kHybrid, "3"},
};
constexpr Period kPeriods = 150;

bool value_in(Period period) { return period % 50 < 20; }

Result<SentBatch> answer(Client& client, std::vector<LineError> errors) {
  Client* const clients[] = {&client};
  Outbox outbox = client.outbox();
  const std::uint64_t lines = outbox.num_lines();
  const std::uint64_t bad = errors.size();
  return acknowledge(clients, {std::move(outbox)}, {{lines - bad, 0, bad, 0}, std::move(errors)});
}

std::uint32_t first_index(const Outbox& outbox) {
  return outbox.reports.empty() ? 0 : outbox.reports.front().first_index;
}

// Whatever the collector has lost, the same lines come again, also from a device that restarted.
TEST(SendAgain, GivesTheSameSigns) {
  for (const auto& [protocol, epsilon] : kPlans) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      DeviceUnderTest device(terms_of("m", protocol, kPeriods, epsilon), seed);
      std::string all;
      {
        Client client = device.join();
        for (Period t = 1; t <= 100; ++t) ASSERT_TRUE(client.observe(t, value_in(t)));
        all = to_lines(client.outbox());
        ASSERT_TRUE(answer(client, {}));
        ASSERT_EQ(client.outbox().num_lines(), 0U);
      }
      Client client = device.join();
      ASSERT_TRUE(client.send_again(0));
      EXPECT_EQ(to_lines(client.outbox()), all);
      const Outbox whole = client.outbox();
      ASSERT_TRUE(whole.enrolment);
      if (whole.reports.empty()) continue;
      const std::uint32_t next = whole.next_index;
      ASSERT_TRUE(client.acknowledge(next));
      for (std::uint32_t from = whole.reports[0].first_index; from < next; ++from) {
        if (!client.reports_index(from)) continue;
        ASSERT_TRUE(client.send_again(from));
        const Outbox outbox = client.outbox();
        EXPECT_FALSE(outbox.enrolment);
        ASSERT_EQ(first_index(outbox), from);
        EXPECT_TRUE(to_text(whole.reports[0].signs).ends_with(to_text(outbox.reports[0].signs)));
        EXPECT_EQ(outbox.next_index, next);
        ASSERT_TRUE(client.acknowledge(next));
      }
    }
  }
}

// The device's own part of the record, noise and coins, is byte for byte as before.
TEST(SendAgain, DrawsAndForgetsNothing) {
  for (const auto& [protocol, epsilon] : kPlans) {
    DeviceUnderTest device(terms_of("m", protocol, kPeriods, epsilon));
    Client client = device.join();
    ASSERT_TRUE(client.observe(100, true));
    ASSERT_TRUE(client.acknowledge(client.outbox().next_index));
    const auto record = [&] {
      Bytes bytes = **device.store.load(metric_record("m"));
      std::fill(bytes.begin() + 12, bytes.begin() + 20, std::uint8_t{0});  // its generation
      bytes.resize(bytes.size() - sizeof(Digest));
      return bytes;
    };
    const Bytes before = record();
    const std::uint32_t next = client.outbox().next_index;
    ASSERT_TRUE(client.send_again(0));
    EXPECT_NE(record(), before);
    ASSERT_TRUE(client.acknowledge(next));
    EXPECT_EQ(record(), before);
  }
}

TEST(SendAgain, WhereTheCollectorStandsIsAskedOfItsAnswer) {
  DeviceUnderTest device(terms_of("m", Protocol::kInnovation, 40));
  Client client = device.join();
  ASSERT_TRUE(client.observe(10, true));
  ASSERT_TRUE(answer(client, {}));
  ASSERT_TRUE(client.observe(12, true));
  ASSERT_EQ(first_index(client.outbox()), 10U);

  Result<SentBatch> batch = answer(client, {{1, "gap", 4}});
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->clients[0].again);
  EXPECT_FALSE(batch->clients[0].acknowledged);
  EXPECT_FALSE(batch->clients[0].refusal);
  EXPECT_EQ(first_index(client.outbox()), 4U);
  EXPECT_FALSE(client.outbox().enrolment);

  batch = answer(client, {{1, "unknown_client"}});
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->clients[0].again);
  EXPECT_EQ(first_index(client.outbox()), 1U);
  ASSERT_TRUE(client.outbox().enrolment);

  ASSERT_TRUE(answer(client, {}));
  EXPECT_EQ(client.outbox().num_lines(), 0U);
}

TEST(SendAgain, WhatNoSuchDeviceReportsIsARefusal) {
  DeviceUnderTest device(terms_of("m", Protocol::kInnovation, 40));
  Client client = device.join(7);
  ASSERT_TRUE(client.observe(10, true));
  // The enrolment was among the lines and was refused for a reason of its own.
  Result<SentBatch> batch = answer(client, {{1, "too_many_devices"}, {2, "unknown_client"}});
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->clients[0].refusal);
  batch = answer(client, {{2, "unknown_client"}});
  EXPECT_TRUE(batch->clients[0].refusal);
  ASSERT_TRUE(answer(client, {}));
  ASSERT_TRUE(client.observe(12, true));
  const Outbox due = client.outbox();
  ASSERT_EQ(due.reports[0].first_index, 10U);
  for (const LineError& error : {LineError{1, "gap", 6},
                                 {1, "gap", 0},
                                 {1, "gap", 13},
                                 {1, "bad_index", 8},
                                 {1, "closed", 8},
                                 {1, "closed", 0}}) {
    batch = answer(client, {error});
    ASSERT_TRUE(batch);
    EXPECT_TRUE(batch->clients[0].refusal) << error.reason << error.expected;
    EXPECT_FALSE(batch->clients[0].again);
    EXPECT_EQ(to_lines(client.outbox()), to_lines(due));
  }
}

// Two texts are on their way when the collector has lost the device. Both answers say so, and the
// first one has brought the enrolment back already.
TEST(SendAgain, ALateAnswerToLinesWithoutTheEnrolmentCounts) {
  DeviceUnderTest device(terms_of("m", Protocol::kInnovation, 40));
  Client client = device.join();
  ASSERT_TRUE(answer(client, {}));
  ASSERT_TRUE(client.observe(5, true));
  const std::string early = to_lines(client.outbox());
  ASSERT_TRUE(client.observe(8, true));
  ASSERT_TRUE(answer(client, {{1, "unknown_client"}}));
  ASSERT_TRUE(client.outbox().enrolment);
  const Result<Outbox> late = client.outbox_of(early);
  ASSERT_TRUE(late) << late.error().message;
  EXPECT_FALSE(late->enrolment);
}

TEST(SendAgain, AStateThatCannotBeSavedStaysAsItWas) {
  DeviceUnderTest device(terms_of("m", Protocol::kInnovation, 40));
  Client client = device.join();
  ASSERT_TRUE(client.observe(10, true));
  ASSERT_TRUE(answer(client, {}));
  ASSERT_TRUE(client.observe(12, true));
  const std::string due = to_lines(client.outbox());
  device.store.good_saves = 0;
  EXPECT_FALSE(answer(client, {{1, "gap", 4}}));
  EXPECT_EQ(to_lines(client.outbox()), due);
}

// For each index a server with arbitrary answers sees the same sign as an honest server, and none
// before the end of its period.
TEST(SendAgain, AHostileServerLearnsNothingNew) {
  for (const auto& [protocol, epsilon] : kPlans) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const MetricTerms terms = terms_of("m", protocol, kPeriods, epsilon);
      DeviceUnderTest honest(terms, seed);
      DeviceUnderTest attacked(terms, seed);
      Client twin = honest.join();
      std::optional<Client> client = attacked.join();
      testing_sources::SeededSource server(seed + 100);
      std::map<std::uint32_t, char> seen;
      const Schedule schedule(terms.plan.plan().views[twin.view()], kPeriods);
      for (Period t = 1; t <= kPeriods + 1; ++t) {
        ASSERT_TRUE(twin.observe(t, value_in(t)));
        ASSERT_TRUE(client->observe(t, value_in(t)));
        for (int round = 0; round < 3; ++round) {
          const Outbox outbox = client->outbox();
          for (const Report& report : outbox.reports) {
            std::uint32_t index = report.first_index;
            for (const char sign : to_text(report.signs)) {
              ASSERT_LT(schedule.due(index), t);
              ASSERT_EQ(seen.emplace(index, sign).first->second, sign) << index;
              index += schedule.stride;
            }
          }
          if (outbox.num_lines() == 0) continue;
          const std::uint32_t line = 1 + server.below(outbox.num_lines());
          const std::uint32_t index = server.below(kPeriods + 3);
          const char* const reasons[] = {"gap", "unknown_client", "early", "closed"};
          std::vector<LineError> errors;
          if (server.below(3) != 0) errors.push_back({line, reasons[server.below(4)], index});
          ASSERT_TRUE(answer(*client, errors));
        }
        if (t % 40 == 0) {
          client.reset();
          client = attacked.join();
        }
      }
      ASSERT_TRUE(client->send_again(0));
      EXPECT_EQ(to_lines(client->outbox()), to_lines(twin.outbox()));
    }
  }
}

}  // namespace
}  // namespace futurerand
