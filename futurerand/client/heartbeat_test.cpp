// Heartbeats of a client: what it says of itself in periods without a report, whatever its value.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/acknowledge.hpp"
#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/complete_run.hpp"
#include "futurerand/client/metric_record.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/saved_run.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using test::DeviceUnderTest;

constexpr Period kBeats = 24;

MetricTerms beating_terms(Protocol protocol, bool heartbeats = true) {
  Plan plan = *make_plan(protocol, kBeats, 3, *Epsilon::parse("1"));
  plan.heartbeats = heartbeats;
  return {"m", *CertifiedPlan::create(plan), 0, 0};
}

// What a server knows from the lines alone: the last period in which the device was there.
Period shown_by(const Outbox& outbox, const Schedule& schedule) {
  Period shown = outbox.alive();
  for (const Report& report : outbox.reports) {
    const auto last = static_cast<std::uint32_t>(report.signs.size() - 1);
    shown = std::max(shown, schedule.due(report.first_index + last * schedule.stride));
  }
  return shown;
}

TEST(Heartbeats, ShowInEveryPeriodThatADeviceIsThere) {
  for (const Protocol protocol : {Protocol::kHybrid, Protocol::kOptimal, Protocol::kSnapshot}) {
    const MetricTerms terms = beating_terms(protocol);
    std::set<std::uint32_t> views;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      DeviceUnderTest device(terms, seed);
      Client client = device.join(3);
      views.insert(client.view());
      const Schedule schedule(terms.plan.plan().views[client.view()], kBeats);
      for (Period t = 3; t <= kBeats + 1; ++t) {
        ASSERT_TRUE(client.observe(t, t % 2 == 0));
        const Outbox outbox = client.outbox();
        if (t == 3) {  // the running period is not over
          EXPECT_EQ(outbox.num_lines(), 1U);
          EXPECT_FALSE(outbox.heartbeat);
        } else {
          EXPECT_EQ(shown_by(outbox, schedule), t - 1);
          // A report says it already.
          EXPECT_EQ(outbox.num_lines(), 1U);
        }
        ASSERT_TRUE(client.acknowledge(outbox.next_index, outbox.alive()));
        EXPECT_EQ(client.outbox().num_lines(), 0U) << "nothing is said twice";
      }
    }
    EXPECT_EQ(views.size(), terms.plan.plan().views.size());
  }
}

// How many lines there are, which they are and how long does not depend on the value.
TEST(Heartbeats, DoNotDependOnTheValue) {
  const MetricTerms terms = beating_terms(Protocol::kHybrid);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<std::vector<std::string>> lives;
    for (const Period rhythm : {100U, 1U, 3U}) {
      DeviceUnderTest device(terms, seed);
      Client client = device.join(1);
      std::vector<std::string> lines;
      for (Period t = 1; t <= kBeats + 1; ++t) {
        if (t % 7 == 0) continue;  // it is off, and catches up
        ASSERT_TRUE(client.observe(t, t / rhythm % 2 == 1));
        Outbox outbox = client.outbox();
        for (Report& report : outbox.reports)
          std::fill_n(report.signs.begin(), report.signs.size(), '+');
        lines.push_back(to_lines(outbox));
        if (t % 5 == 0) continue;  // the answer is lost
        ASSERT_TRUE(client.acknowledge(outbox.next_index, outbox.alive()));
      }
      lives.push_back(lines);
    }
    EXPECT_EQ(lives[0], lives[1]);
    EXPECT_EQ(lives[0], lives[2]);
  }
}

TEST(Heartbeats, OneCoversAllThatWereMissed) {
  DeviceUnderTest device(beating_terms(Protocol::kOptimal), 1);
  Client client = device.join(1);
  ASSERT_TRUE(client.observe(1, false));
  ASSERT_TRUE(client.acknowledge(0));
  ASSERT_TRUE(client.observe(23, true));
  const Outbox outbox = client.outbox();
  EXPECT_LE(outbox.num_lines(), 2U);
  const Schedule schedule(device.terms.plan.plan().views[client.view()], kBeats);
  EXPECT_EQ(shown_by(outbox, schedule), 22U);
  // It comes after the reports that it speaks of.
  if (!outbox.heartbeat) return;
  EXPECT_TRUE(to_lines(outbox).ends_with(to_line(*outbox.heartbeat) + "\n"));
}

// What is acknowledged is remembered; what is not is said again, in the same words.
TEST(Heartbeats, AreSaved) {
  const MetricTerms terms = beating_terms(Protocol::kSnapshot);
  DeviceUnderTest device(terms, 2);
  std::string unsaid;
  {
    Client client = device.join(1);
    ASSERT_TRUE(client.observe(3, true));
    const Outbox outbox = client.outbox();
    ASSERT_TRUE(outbox.heartbeat);
    EXPECT_EQ(outbox.heartbeat->alive, 2U);
    ASSERT_TRUE(client.acknowledge(outbox.next_index, outbox.alive()));
    ASSERT_TRUE(client.observe(5, true));
    unsaid = to_lines(client.outbox());
    EXPECT_NE(unsaid, "");
  }
  {
    Client client = device.join();  // it goes on from what was saved
    EXPECT_EQ(to_lines(client.outbox()), unsaid);
    device.store.good_saves = device.store.saves;
    EXPECT_FALSE(client.acknowledge(client.outbox().next_index, 4));
    EXPECT_EQ(to_lines(client.outbox()), unsaid) << "what is not saved is not known";
    device.store.good_saves = 1 << 30;
    EXPECT_FALSE(client.acknowledge(0, 6)) << "it has not said that";
    ASSERT_TRUE(client.acknowledge(client.outbox().next_index, 4));
  }
  EXPECT_EQ(to_lines(device.join().outbox()), "");
}

// A collector that is behind takes it later; one that lacks reports is sent them first.
TEST(Heartbeats, AreSettledWithTheReports) {
  DeviceUnderTest device(beating_terms(Protocol::kSnapshot), 2);
  Client client = device.join(1);
  ASSERT_TRUE(client.observe(3, true));
  Client* const clients[] = {&client};
  const auto answered = [&](std::vector<LineError> errors) {
    return *acknowledge(clients, {client.outbox()}, {LineCounts{}, std::move(errors)});
  };
  ASSERT_EQ(client.outbox().num_lines(), 2U);
  EXPECT_FALSE(answered({{2, "early"}}).clients[0].refusal);
  EXPECT_FALSE(client.outbox().enrolment);
  ASSERT_TRUE(client.outbox().heartbeat);
  EXPECT_TRUE(answered({{1, "no_heartbeats"}}).clients[0].refusal);
  ASSERT_TRUE(client.outbox().heartbeat);
  EXPECT_TRUE(answered({}).clients[0].acknowledged);
  EXPECT_EQ(client.outbox().num_lines(), 0U);
}

// Whatever the collector did not take is sent again: a heartbeat of the first period too, and
// reports with the heartbeat that came before them.
TEST(Heartbeats, AreSentAgainWithAllThatTheCollectorLacks) {
  DeviceUnderTest device(beating_terms(Protocol::kSnapshot), 2);
  Client client = device.join(1);
  const Period snapshot = client.outbox().enrolment->index;
  ASSERT_GT(snapshot, 1U);
  ASSERT_LT(snapshot, kBeats - 2);
  Client* const clients[] = {&client};
  const auto expect_all_again = [&](std::vector<LineError> errors) {
    const std::string reports_and_heartbeat =
        to_lines({{}, client.outbox().reports, client.outbox().heartbeat});
    const Result<SentBatch> batch =
        acknowledge(clients, {client.outbox()}, {LineCounts{}, std::move(errors)});
    ASSERT_TRUE(batch);
    EXPECT_FALSE(batch->clients[0].refusal);
    EXPECT_EQ(to_lines(client.outbox()), reports_and_heartbeat);
  };
  ASSERT_TRUE(client.observe(2, true));
  ASSERT_EQ(client.outbox().alive(), 1U);
  expect_all_again({{2, "early"}});
  EXPECT_EQ(client.outbox().num_lines(), 1U);

  ASSERT_TRUE(client.observe(snapshot + 2, true));
  ASSERT_EQ(client.outbox().reports.size(), 1U);
  ASSERT_EQ(client.outbox().alive(), snapshot + 1);
  const std::uint32_t first = client.outbox().reports[0].first_index;
  expect_all_again({{1, "early", first}, {2, "early"}});
  expect_all_again({{2, "gap", first}});
}

// A record says what a device can have said: nothing, or a period that it has lived through.
TEST(Heartbeats, OneThatIsSavedIsOfAPeriodThatWasLived) {
  const MetricTerms terms = beating_terms(Protocol::kSnapshot);
  DeviceUnderTest device(terms, 2);
  ASSERT_TRUE(device.join(3).observe(9, true));
  const Bytes& state = device.store.memory.records().at(metric_record("m"));
  for (std::uint8_t alive = 0; alive <= kBeats + 1; ++alive) {
    const Bytes changed =
        test::resealed(state, [&](Bytes& bytes) { bytes[bytes.size() - 4] = alive; });
    const Result<ClientMemory> memory = ClientCodec::read(changed, terms);
    EXPECT_EQ(bool(memory), alive == 0 || (3 <= alive && alive <= 9)) << int{alive};
    if (!memory) continue;
    EXPECT_EQ(memory->alive, Period{alive});
  }
}

// The terms decide whether a state holds the latest acknowledged heartbeat.
TEST(Heartbeats, AreStoredWhereTheTermsHaveThem) {
  for (const bool heartbeats : {false, true}) {
    const MetricTerms terms = beating_terms(Protocol::kSnapshot, heartbeats);
    DeviceUnderTest device(terms, 2);
    ASSERT_TRUE(device.join(3).observe(9, true));
    const Bytes& state = device.store.memory.records().at(metric_record("m"));
    for (const std::size_t tail : {0U, 4U, 8U}) {
      const Bytes changed =
          test::resealed(state, [&](Bytes& bytes) { bytes.resize(bytes.size() - 4 + tail); });
      EXPECT_EQ(bool(ClientCodec::read(changed, terms)), tail == 4) << heartbeats << " " << tail;
    }
  }
}

TEST(Heartbeats, ArePartOfTheTerms) {
  const MetricTerms with = beating_terms(Protocol::kHybrid);
  const MetricTerms without = beating_terms(Protocol::kHybrid, false);
  EXPECT_NE(with.digest(), without.digest());
  DeviceUnderTest device(without, 1);
  {
    Client client = device.join(1);
    ASSERT_TRUE(client.observe(9, true));
    EXPECT_FALSE(client.outbox().heartbeat);
    EXPECT_FALSE(client.acknowledge(0, 1));
  }
  const Result<Client> client = Client::open(with, 1, device.ledger, device.store, device.entropy);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ErrorCode::kRefused);
}

TEST(Heartbeats, AWholeLifeHasOneAtItsEnd) {
  const MetricTerms terms = beating_terms(Protocol::kSnapshot);
  int with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    testing_sources::SeededSource entropy(seed);
    const Result<CompleteRun> run = CompleteRun::of(terms.plan, std::vector<ValueFrom>{}, entropy);
    ASSERT_TRUE(run);
    const bool reports_last = run->enrolment.index == kBeats;
    EXPECT_EQ(run->heartbeat.has_value(), !reports_last);
    ++(run->heartbeat ? with : without);
    if (!run->heartbeat) continue;
    EXPECT_TRUE(to_lines(*run).ends_with(to_line(*run->heartbeat) + "\n"));
  }
  EXPECT_GT(with, 0);
  EXPECT_GT(without, 0);
}

}  // namespace
}  // namespace futurerand
