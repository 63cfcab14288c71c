// The lines and acknowledgements of a client at the edges: the last period, indices that are apart,
// backlogs of several lines, and runs that are never saved.
#include <string>

#include <gtest/gtest.h>

#include "futurerand/client/client.hpp"
#include "futurerand/client/complete_run.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/device/test/sources.hpp"
#include "futurerand/wire/sign_text.hpp"

namespace futurerand {
namespace {

using test::terms_of;
using testing_sources::SeededSource;

struct OutboxDevice {
  explicit OutboxDevice(const MetricTerms& metric, std::uint64_t seed = 1)
      : terms(metric),
        entropy(seed),
        ledger(*Ledger::open(store, *Epsilon::parse("16"))),
        client(*Client::open(terms, 1, ledger, store, entropy)) {}

  MetricTerms terms;
  MemoryStateStore store;
  SeededSource entropy;
  Ledger ledger;
  Client client;
};

// What a device of the same draws says of the same values.
std::string signs_of(const MetricTerms& terms, const std::vector<ValueFrom>& values,
                     std::uint64_t seed = 1) {
  SeededSource entropy(seed);
  const Result<CompleteRun> run = CompleteRun::of(terms.plan, values, entropy);
  return run ? to_text(run->report.signs) : run.error().message;
}

TEST(Outbox, TheValueOfTheLastPeriodCounts) {
  for (const Protocol protocol : {Protocol::kRepeated, Protocol::kInnovation}) {
    const MetricTerms terms = terms_of("m", protocol, 20);
    OutboxDevice device(terms);
    ASSERT_TRUE(device.client.observe(20, true));
    device.client.begin_period(21);
    EXPECT_EQ(to_text(device.client.outbox().reports[0].signs), signs_of(terms, {{20, true}}));
    EXPECT_NE(to_text(device.client.outbox().reports[0].signs), signs_of(terms, {}));
  }
}

// A snapshot view whose law has several signs: a device reports every stride-th index.
MetricTerms strided_terms() {
  const Plan plan{Protocol::kSnapshot,
                  12,
                  4,
                  *Epsilon::parse("1"),
                  {{ViewKind::kSnapshot, 0, 1, ThresholdLaw{4, 1, std::uint64_t{1} << 63}}}};
  return {"apart", *CertifiedPlan::create(plan), {0, 0}};
}

TEST(Outbox, IndicesThatAreApartAreAcknowledgedOneByOne) {
  OutboxDevice device(strided_terms());
  Client& client = device.client;
  ASSERT_TRUE(client.observe(12, true));
  client.begin_period(13);
  const Outbox all = client.outbox();
  ASSERT_EQ(all.reports.size(), 1U);
  ASSERT_EQ(all.reports[0].signs.size(), 4U);
  const std::uint32_t first = all.reports[0].first_index;
  EXPECT_EQ(all.next_index, first + 12);
  // A sign is kept until the next index of this device, or a later one, is expected.
  const std::uint32_t left_after[] = {4, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 0};
  for (std::uint32_t next = 0; next <= 12; ++next) {
    ASSERT_TRUE(client.acknowledge(first + next));
    const Outbox outbox = client.outbox();
    const std::size_t left = outbox.reports.empty() ? 0 : outbox.reports[0].signs.size();
    EXPECT_EQ(left, left_after[next]) << next;
    if (left == 0) continue;
    EXPECT_EQ(outbox.reports[0].first_index, first + 12 - 3 * left);
    EXPECT_EQ(to_text(outbox.reports[0].signs), to_text(all.reports[0].signs).substr(4 - left));
  }
  EXPECT_FALSE(client.acknowledge(first + 13));
}

// The running period's own sign is held, however long the backlog is.
TEST(Outbox, ALongBacklogHoldsWhatIsNotOver) {
  constexpr Period kLong = 130'000;
  OutboxDevice device(terms_of("m", Protocol::kRepeated, kLong));
  ASSERT_TRUE(device.client.observe(kLong - 5, true));
  const Outbox outbox = device.client.outbox();
  ASSERT_EQ(outbox.reports.size(), 3U);
  std::size_t signs = 0;
  for (const Report& report : outbox.reports) {
    EXPECT_EQ(report.first_index, signs + 1);
    signs += report.signs.size();
  }
  EXPECT_EQ(signs, kLong - 6);
  EXPECT_EQ(outbox.next_index, kLong - 5);
}

TEST(Outbox, AnEmptyOneAcknowledgesNothing) {
  const Outbox nothing;
  EXPECT_EQ(nothing.next_index, 0U);
  EXPECT_EQ(nothing.num_lines(), 0U);
  EXPECT_EQ(to_lines(nothing), "");
}

TEST(CompleteRun, IsWhatADeviceSends) {
  const MetricTerms terms = terms_of("m", Protocol::kHybrid, 30);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    OutboxDevice device(terms, seed);
    SeededSource entropy(seed);
    const CompleteRun run =
        *CompleteRun::of(terms.plan, std::vector<ValueFrom>{{4, true}, {9, false}}, entropy);
    ASSERT_TRUE(device.client.observe(4, true));
    ASSERT_TRUE(device.client.observe(9, false));
    ASSERT_TRUE(device.client.observe(30, false));
    device.client.begin_period(31);
    EXPECT_EQ(to_lines(run), to_lines(device.client.outbox()));
    EXPECT_EQ(run.enrolment.period, 1U);
  }
  testing_sources::FailingSource nothing(3);
  EXPECT_FALSE(CompleteRun::of(terms.plan, std::vector<ValueFrom>{}, nothing));
}

TEST(CompleteRun, WithoutReportsItIsAnEnrolment) {
  const CompleteRun run{{ClientId{}, 0, 1, 0}, {ClientId{}, 1, {}}};
  const std::string lines = to_lines(run);
  EXPECT_EQ(lines.find('\n'), lines.size() - 1);
}

}  // namespace
}  // namespace futurerand
