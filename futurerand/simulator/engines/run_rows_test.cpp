#include "futurerand/simulator/engines/run_rows.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/device/run_device.hpp"

namespace futurerand {
namespace {

const SimulationKey kRowKey = SimulationKey::from_seed(5);
constexpr std::uint64_t kRowUsers = 300;
constexpr Period kRowPeriods = 70;  // more than a word

CertifiedPlan labels_plan(const char* epsilon) {
  const Coding coding = *Coding::create(CategoryCoding{{"a", "b", "c", "d", "e"}, std::nullopt});
  return *CertifiedPlan::create(*make_plan(Protocol::kInnovation, kRowPeriods, 2,
                                           *Epsilon::parse(epsilon), Initial::kUnknown, coding));
}

// A collector's presence state of the same devices, one transcript after the other.
Presence folded(const CertifiedPlan& plan, const Population& population, std::uint64_t trial) {
  Presence presence = *empty_presence(plan.plan(), false);
  for (std::uint64_t user = 0; user < kRowUsers; ++user) {
    PhiloxSource ids(kRowKey, Stream::kPublicSeed, trial, user);
    PhiloxSource source(kRowKey, Stream::kDevice, trial, user);
    const CodingRow row = row_from_bits(plan.plan().coding, ids.word());
    Values codes, held;
    population.draw(user, codes);
    for (const ValueFrom& at : codes) held.push_back({at.period, Coding::state(row, at.value)});
    Device device = *Device::join(plan, 1, source);
    std::vector<std::uint64_t> minus(2), zero(2);
    EXPECT_TRUE(run_device(device, held, source, [&](const SignRun& run) {
      minus[(run.first_index - 1) / 64] |= run.minus << ((run.first_index - 1) % 64);
      zero[(run.first_index - 1) / 64] |= run.silent << ((run.first_index - 1) % 64);
    }));
    const Transcript all{.joined = 1,
                         .next = kRowPeriods + 1,
                         .minus = minus.data(),
                         .zero = presence.estimate().has_zeros() ? zero.data() : nullptr,
                         .row = row};
    presence.change(all.before(1), all);
  }
  return presence;
}

TEST(RunRows, SumsAreThoseOfTheTranscripts) {
  for (const char* epsilon : {"1", "6"}) {  // signs alone, and with zero symbols
    const CertifiedPlan plan = labels_plan(epsilon);
    const Population population = *Population::named(
        "drift", {kRowUsers, kRowPeriods, 2, Initial::kUnknown, plan.plan().coding}, kRowKey);
    const Workers workers(2);
    const Presence expected = folded(plan, population, 4);
    const Presence empty = *empty_presence(plan.plan(), false);
    const SimulatedRows rows =
        *run_rows(plan, population, {kRowKey, 4, Engine::kUsers, workers, {}}, empty);
    for (Period t = 1; t <= kRowPeriods; ++t) {
      std::vector<std::int64_t> mine(8), theirs(8);
      rows.presence.add_reported_rows(t, mine);
      expected.add_reported_rows(t, theirs);
      // Each device's own estimate is rounded there, the sum of a row here.
      const auto expect_near = [](std::int64_t a, std::int64_t b) {
        EXPECT_LE(std::abs(a - b), static_cast<std::int64_t>(kRowUsers));
      };
      for (CodingRow row = 1; row < 8; ++row) expect_near(mine[row], theirs[row]);
      EXPECT_EQ(rows.presence.reported(t).devices, expected.reported(t).devices);
      EXPECT_EQ(rows.presence.reported(t).variance, expected.reported(t).variance);
      expect_near(rows.presence.reported(t).estimate, expected.reported(t).estimate);
      EXPECT_EQ(rows.simulated.sums.at(0, t).count, kRowUsers);
    }
    EXPECT_EQ(rows.simulated.clipped_users, 0U);
  }
}

TEST(RunRows, RefusesWhatTakesTooMuchMemory) {
  CategoryCoding many;
  for (int i = 0; i < 65'536; ++i) many.labels.push_back(std::to_string(i));
  const Coding coding = *Coding::create(std::move(many));
  const CertifiedPlan plan = *CertifiedPlan::create(
      *make_plan(Protocol::kInnovation, 1024, 1, *Epsilon::parse("1"), Initial::kUnknown, coding));
  const Population population =
      *Population::named("drift", {10, 1024, 1, Initial::kUnknown, coding}, kRowKey);
  const Workers workers(2);
  const auto refused = run_rows(plan, population, {kRowKey, 0, Engine::kSums, workers, {}},
                                *empty_presence(plan.plan(), false));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("MiB"), std::string::npos);
}

}  // namespace
}  // namespace futurerand
