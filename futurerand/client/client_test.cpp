// These test what docs/device.md promises of a client.
#include "futurerand/client/client.hpp"

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/client_codec.hpp"
#include "futurerand/client/test/device_under_test.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/sign_text.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using test::DeviceUnderTest;
using test::reopen;
using test::sent;
using test::terms_of;
using testing_sources::SeededSource;

TEST(Client, EnrolsThenReportsInOrder) {
  DeviceUnderTest device(terms_of());
  Client client = device.join(7);
  const Outbox first = client.outbox();
  ASSERT_TRUE(first.enrolment);
  EXPECT_EQ(first.enrolment->client, client.id());
  EXPECT_EQ(first.enrolment->period, 7U);
  EXPECT_EQ(first.enrolment->view, client.view());
  EXPECT_TRUE(first.reports.empty());

  std::uint32_t expected = 0;
  std::string signs;
  for (Period t = 7; t <= 200; ++t) {
    ASSERT_TRUE(client.observe(t, t % 50 < 25));
    client.begin_period(t + 1);
    const Outbox outbox = client.outbox();
    EXPECT_EQ(outbox.enrolment.has_value(), t < 100);
    if (!outbox.reports.empty()) {
      if (expected == 0) expected = outbox.reports[0].first_index;
      EXPECT_EQ(outbox.reports[0].first_index, expected);
    }
    if (t >= 100 && !outbox.reports.empty()) {
      signs += to_text(outbox.reports[0].signs);
      expected += static_cast<std::uint32_t>(outbox.reports[0].signs.size());
      ASSERT_TRUE(client.acknowledge(expected));
      EXPECT_TRUE(client.outbox().reports.empty());
    } else if (t == 99) {
      ASSERT_TRUE(client.acknowledge(0));
    }
  }
  const View& view = device.terms.plan.plan().views[client.view()];
  EXPECT_EQ(expected, view.num_indices(200) + 1);
  EXPECT_EQ(signs.size(), view.num_indices(200) - ((7 - 1) >> view.order));
  EXPECT_TRUE(client.closed());
}

TEST(Client, ManyAtOnceAreTheSameAndSavedOnce) {
  for (const Protocol protocol : kProtocols) {
    DeviceUnderTest one(terms_of("m", protocol, 90));
    DeviceUnderTest many(terms_of("m", protocol, 90));
    Client client = one.join(3);
    Client other = many.join(3);
    std::vector<Observation> all;
    for (Period t = 3; t <= 95; t += 1 + t % 3) all.push_back({t, t % 20 < 10});
    // The first value of a period counts.
    all.insert(all.begin() + 4, {all[3].period, !std::get<bool>(all[3].value)});
    for (const Observation& seen : all) ASSERT_TRUE(client.observe(seen.period, seen.value));
    const int saves = many.store.saves;
    ASSERT_TRUE(other.observe(all));
    EXPECT_EQ(many.store.saves, saves + 1);
    EXPECT_EQ(sent(client), sent(other));
    EXPECT_TRUE(other.closed());
  }
}

TEST(Client, ManyAtOnceCountWhollyOrNotAtAll) {
  DeviceUnderTest device(terms_of());
  Client client = device.join();
  ASSERT_TRUE(client.observe(10, true));
  const std::string before = to_lines(client.outbox());
  const int saves = device.store.saves;
  const Observation back[] = {{11, true}, {13, false}, {12, true}};
  EXPECT_EQ(client.observe(back).error().code, ErrorCode::kInvalid);
  const Observation past[] = {{9, true}, {13, false}};
  EXPECT_EQ(client.observe(past).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(device.store.saves, saves);
  device.store.good_saves = device.store.saves;
  const Observation fine[] = {{11, true}, {200, false}};
  EXPECT_FALSE(client.observe(fine));
  EXPECT_EQ(client.now(), 10U);
  EXPECT_TRUE(client.observe(std::span<const Observation>()));
  client.begin_period(11);
  EXPECT_EQ(client.now(), 10U);
  device.store.good_saves = 1 << 30;
  EXPECT_TRUE(client.observe(fine));
  EXPECT_EQ(client.now(), 200U);
  EXPECT_EQ(sent(client).substr(0, before.size() - 3), before.substr(0, before.size() - 3));
}

TEST(Client, SavesBeforeItShows) {
  DeviceUnderTest device(terms_of());
  Client client = device.join();
  ASSERT_TRUE(client.observe(64, true));
  const std::string before = sent(client);
  device.store.good_saves = device.store.saves;
  const Status failed = client.observe(128, false);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the disk is full");
  EXPECT_EQ(sent(client), before);
  EXPECT_EQ(client.now(), 64U);
  EXPECT_FALSE(client.acknowledge(1));
  EXPECT_TRUE(client.outbox().enrolment);

  // The disk is back, and the bits are the same as if nothing had happened.
  device.store.good_saves = 1 << 30;
  MemoryStateStore copy = device.store.memory;
  Client other = *reopen(device.terms, copy);
  ASSERT_TRUE(client.observe(128, false));
  ASSERT_TRUE(other.observe(128, false));
  EXPECT_EQ(sent(client), sent(other));
}

TEST(Client, LoadsByteForByteAtEveryMoment) {
  for (const Protocol protocol : kProtocols) {
    DeviceUnderTest device(terms_of("m", protocol, 90));
    Client straight = device.join(3);
    const std::string record = device.store.memory.records().rbegin()->first;
    SeededSource random(9);
    for (Period t = 3; t <= 90; t += 1 + random.below(4)) {
      const Bytes saved = device.store.memory.records().at(record);
      MemoryStateStore copy = device.store.memory;
      Result<Client> loaded = reopen(device.terms, copy);
      ASSERT_TRUE(loaded) << loaded.error().message;
      const ClientMemory memory = *ClientCodec::read(saved, device.terms);
      SealedWriter writer(ClientCodec::kKind, revision_of(saved));
      ClientCodec::write(memory, writer);
      ASSERT_EQ(writer.seal(), saved);

      const bool value = random.below(3) == 0;
      ASSERT_TRUE(straight.observe(t, value));
      const Bytes after = device.store.memory.records().at(record);
      ASSERT_TRUE(loaded->observe(t, value));
      ASSERT_EQ(copy.records().at(record), after);
      ASSERT_EQ(sent(*loaded), sent(straight));
      if (random.below(4) == 0 && !straight.outbox().reports.empty()) {
        ASSERT_TRUE(straight.acknowledge(straight.outbox().reports[0].first_index + 1));
      }
    }
  }
}

TEST(Client, HoldsItsValueWhileItIsOff) {
  DeviceUnderTest device(terms_of());
  Client always_on = device.join();
  MemoryStateStore copy = device.store.memory;
  Client off = *reopen(device.terms, copy);
  for (Period t = 1; t <= 200; ++t) ASSERT_TRUE(always_on.observe(t, t >= 40));
  ASSERT_TRUE(off.observe(40, true));
  // The device is back long after the end: what it shows then no longer counts.
  ASSERT_TRUE(off.observe(5000, false));
  EXPECT_TRUE(off.closed());
  EXPECT_EQ(sent(off), sent(always_on));
  // After the end a period brings nothing.
  const Bytes closed = copy.records().rbegin()->second;
  ASSERT_TRUE(off.observe(5001, true));
  EXPECT_EQ(copy.records().rbegin()->second, closed);
  EXPECT_EQ(sent(off), sent(always_on));
}

TEST(Client, JoinsAsManyMetricsAsTheLedgerAllows) {
  DeviceUnderTest device(terms_of("a"));
  const Client first = device.join();
  const Client second =
      *Client::open(terms_of("b"), 5, device.ledger, device.store, device.entropy);
  EXPECT_NE(first.id(), second.id());
  EXPECT_EQ(second.metric(), "b");
  EXPECT_EQ(device.ledger.entries().size(), 2U);
}

// While a period runs its own sign is not due: a collector would refuse it as early.
TEST(Client, HoldsWhatIsNotOver) {
  DeviceUnderTest device(terms_of("m", Protocol::kRepeated));
  Client client = device.join(3);
  ASSERT_TRUE(client.observe(3, true));
  EXPECT_TRUE(client.outbox().reports.empty());
  EXPECT_EQ(client.outbox().next_index, 3U);
  ASSERT_TRUE(client.observe(6, false));
  ASSERT_EQ(client.outbox().reports.size(), 1U);
  EXPECT_EQ(client.outbox().reports[0].first_index, 3U);
  EXPECT_EQ(client.outbox().reports[0].signs.size(), 3U);  // 3, 4, 5
  EXPECT_EQ(client.outbox().next_index, 6U);
  client.begin_period(2);  // time does not go back
  EXPECT_EQ(client.outbox().next_index, 6U);
  ASSERT_TRUE(client.acknowledge(6));
  EXPECT_TRUE(client.outbox().reports.empty());
  ASSERT_TRUE(client.observe(201, false));
  EXPECT_EQ(client.outbox().next_index, 201U);
  EXPECT_EQ(client.outbox().reports[0].signs.size(), 195U);
}

TEST(Client, SplitsALongBacklogIntoLinesThatACollectorTakes) {
  constexpr Period kLong = 150'000;
  DeviceUnderTest device(terms_of("m", Protocol::kRepeated, kLong));
  Client client = device.join();
  ASSERT_TRUE(client.observe(kLong, true));
  client.begin_period(kLong + 1);
  const Outbox outbox = client.outbox();
  ASSERT_EQ(outbox.num_lines(), 4U);
  std::uint32_t expected = 1;
  for (const Report& report : outbox.reports) {
    EXPECT_EQ(report.first_index, expected);
    EXPECT_LE(to_line(report).size(), kMaxPostedLineBytes);
    expected += static_cast<std::uint32_t>(report.signs.size());
  }
  EXPECT_EQ(expected, kLong + 1);
  EXPECT_EQ(outbox.next_index, kLong + 1);
}

TEST(Client, SendsNoValueKeyOrNoise) {
  DeviceUnderTest device(terms_of("m", Protocol::kHybrid));
  Client client = device.join();
  ASSERT_TRUE(client.observe(200, true));
  std::string lines = sent(client);
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    EXPECT_TRUE(parse_line(std::string_view(lines).substr(0, end)));
    lines.erase(0, end + 1);
  }
}

}  // namespace
}  // namespace futurerand
