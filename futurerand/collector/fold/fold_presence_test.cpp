// Presence in the fold: active devices are counted by their transcripts, in whatever order reports
// come.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/collector/fold/test/surviving_fold.hpp"
#include "futurerand/core/base/test/packed_signs.hpp"
#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/test/innovation_devices.hpp"

namespace futurerand {
namespace {

constexpr HashKey kPresenceKey{5, 6};
constexpr Period kPeriods = 70;  // more than a word of bits

Plan presence_plan() {
  return *make_plan(Protocol::kInnovation, kPeriods, 2, *Epsilon::parse("1"));
}

// Most reports of honest devices are zero: whoever sends none exceeds the cap.
Plan quiet_plan() { return *make_plan(Protocol::kInnovation, kPeriods, 1, *Epsilon::parse("4")); }

Fold new_fold(const Plan& plan, bool capped = true) {
  return Fold(plan, kPresenceKey, empty_presence(plan, capped));
}

ClientId numbered(std::uint32_t number) {
  ClientId id;
  for (std::size_t i = 0; i < 4; ++i) id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

struct Sent {
  Enrolment enrolment;
  std::string signs;  // from the period of joining on
};

std::vector<Sent> some_senders(std::size_t count, std::mt19937_64& random) {
  std::vector<Sent> senders;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto joined = static_cast<Period>(1 + random() % kPeriods);
    Sent sent{{numbered(i * 7919), 0, joined, 0}, ""};
    const std::size_t reports = random() % (kPeriods + 2 - joined);
    for (std::size_t j = 0; j < reports; ++j) sent.signs += "+-000000"[random() % 8];
    // Some exceed the cap, above and, fewer of them, below.
    if (i % 4 == 0) {
      sent = {{numbered(i * 7919), 0, 1 + i % 3, 0}, std::string(i % 68, "+-"[i % 16 / 12])};
    }
    senders.push_back(sent);
  }
  return senders;
}

// What came of a sender by the time that `current` runs, as a device of the definition.
test::TestDevice device_of(const Sent& sent, Period current) {
  const Period joined = sent.enrolment.period;
  test::TestDevice device{joined, joined, std::vector<int>(kPeriods)};
  for (const char sign : sent.signs) {
    if (device.next >= current) break;
    device.signs[device.next++ - 1] = sign == '+' ? 1 : sign == '-' ? -1 : 0;
  }
  return device;
}

// Devices pause, come back, catch up in runs, are reverted and repeated, while the clock moves. At
// any time the estimates are those of a program that recomputes each device from the definition.
TEST(FoldPresence, CountsEachDeviceByItsTranscript) {
  std::mt19937_64 random(3);
  const Plan plan = quiet_plan();
  const ContributionCap cap = *contribution_cap(plan);
  for (unsigned round = 0; round < 4; ++round) {
    const std::vector<Sent> senders = some_senders(60, random);
    Fold fold = new_fold(plan);
    Fold shards[] = {new_fold(plan), new_fold(plan)};
    std::vector<std::size_t> sent(senders.size());
    std::vector<bool> enrolled(senders.size());
    const auto apply_to_both = [&](std::size_t i, const auto& message, Period current) {
      const Verdict verdict = fold.apply(message, current);
      EXPECT_EQ(shards[i % 2].apply(message, current), verdict);
      return verdict;
    };
    for (Period current = 1; current <= kPeriods + 4; ++current) {
      for (std::size_t i = 0; i < senders.size(); ++i) {
        const Enrolment& enrolment = senders[i].enrolment;
        const bool last = current == kPeriods + 4;
        if (enrolment.period > current || (!last && random() % 3 != 0)) continue;
        if (!enrolled[i]) {
          ASSERT_EQ(apply_to_both(i, enrolment, current).outcome, Outcome::kAccepted);
          enrolled[i] = true;
          if (random() % 4 == 0) {
            fold.revert(enrolment);
            ASSERT_EQ(fold.apply(enrolment, current).outcome, Outcome::kAccepted);
          }
        }
        const std::size_t due = std::min<std::size_t>(
            senders[i].signs.size(), current > enrolment.period ? current - enrolment.period : 0);
        if (due <= sent[i]) continue;
        const std::size_t now = last ? due : sent[i] + 1 + random() % (due - sent[i]);
        const Report report{enrolment.client, enrolment.period,
                            packed_signs(senders[i].signs.substr(0, now))};
        const Presence before = *fold.presence();
        const Verdict verdict = apply_to_both(i, report, current);
        ASSERT_EQ(verdict.counted, now - sent[i]);
        if (random() % 4 == 0) {  // a log without room
          const Presence after = *fold.presence();
          fold.revert(report, verdict);
          ASSERT_EQ(*fold.presence(), before);
          ASSERT_EQ(fold.apply(report, current), verdict);
          ASSERT_EQ(*fold.presence(), after);
        }
        ASSERT_EQ(fold.apply(report, current).outcome, Outcome::kDuplicate);
        sent[i] = now;
      }
      if (current % 24 != 2 || current == 1) continue;
      // The active devices, from the definition.
      const InactiveRule rule{current, 3};
      const auto active = estimate_active(plan, fold.sums(), *fold.presence(), rule,
                                          EstimatorKind::kOnline, current - 1);
      for (Period t = 1; t < std::min(current, kPeriods + 1); ++t) {
        double count = 0;
        std::uint64_t members = 0, reports = 0;
        for (std::size_t i = 0; i < senders.size(); ++i) {
          test::TestDevice device = device_of(senders[i], kPeriods + 1);
          device.next = device.joined + static_cast<Period>(sent[i]);
          if (sent[i] == 0 || device.joined > t) continue;
          const bool reported = device.next > t;
          if (!reported && device.next + 3 <= current) continue;
          ++members;
          reports += reported ? 1 : 0;
          count += test::clipped_psi(plan, cap, device, reported ? t : device.next - 1);
        }
        EXPECT_EQ(active[t - 1].devices, members) << current << ' ' << t;
        EXPECT_EQ(active[t - 1].reports, reports) << current << ' ' << t;
        if (members > 0) {
          EXPECT_NEAR(active[t - 1].at.estimate, count, 1e-5) << t;
        }
      }
    }
    // Shards of a cluster, of which each knows its own devices, together.
    Presence merged = *empty_presence(plan, true);
    Sums sums(plan);
    for (const Fold& shard : shards) {
      merged.merge(*shard.presence());
      sums.merge(shard.sums());
    }
    EXPECT_EQ(merged, *fold.presence());
    EXPECT_EQ(sums, fold.sums());
    EXPECT_GT(merged.clipped(20), 0U);
  }
}

// A plan as long as there are is like any other, and takes as little room.
TEST(FoldPresence, OfALongPlan) {
  const Plan plan = *make_plan(Protocol::kInnovation, 4096, 2, *Epsilon::parse("1"));
  const Period current = 4003;
  const auto folded = [&](Period reported) {
    std::mt19937_64 random(8);
    Fold fold = new_fold(plan, false);
    for (std::uint32_t i = 0; i < 100; ++i) {
      const auto joined = static_cast<Period>(i % 2 == 0 ? 1 : 1 + random() % 2000);
      const auto next =
          static_cast<Period>(i % 5 == 0 ? current : joined + random() % (current - joined));
      std::string signs;
      for (Period t = joined; t < next; ++t) signs += random() % 2 == 0 ? '+' : '-';
      if (next <= reported) continue;
      EXPECT_EQ(fold.apply(Enrolment{numbered(i), 0, joined, 0}, current), Verdict{});
      if (signs.empty()) continue;
      EXPECT_EQ(fold.apply(Report{numbered(i), joined, packed_signs(signs)}, current).counted,
                signs.size());
    }
    return fold;
  };
  const Fold fold = folded(0);
  EXPECT_LT(fold.presence()->memory_bytes(), 250'000U);
  const auto active = estimate_active(plan, fold.sums(), *fold.presence(), {current, 3},
                                      EstimatorKind::kOnline, current - 1);
  for (const Period t : {1U, 4U, 1000U, 2999U, 3998U, 4000U}) {
    const Fold stayed = folded(t);
    const PeriodEstimate expected = estimate(plan, stayed.sums(), EstimatorKind::kOnline, t).back();
    EXPECT_NEAR(active[t - 1].at.estimate, expected.estimate,
                1e-6 * (1 + std::abs(expected.estimate)));
    EXPECT_NEAR(active[t - 1].at.stddev, expected.stddev, 1e-6 * (1 + expected.stddev));
    EXPECT_EQ(active[t - 1].devices, stayed.sums().enrolled_by_period()[t - 1]);
  }
}

// A zero symbol is a report like any other: it is not missing.
TEST(FoldPresence, ZeroSymbolsShowThatADeviceIsActive) {
  const Plan plan = quiet_plan();
  ASSERT_TRUE(may_be_zero(plan.views.front().law));
  Fold fold = new_fold(plan);
  for (const std::uint32_t device : {1U, 2U}) {
    ASSERT_EQ(fold.apply(Enrolment{numbered(device), 0, 2, 0}, 9), Verdict{});
  }
  ASSERT_EQ(fold.apply(Report{numbered(1), 2, packed_signs("0-0+00")}, 9).counted, 6U);
  ASSERT_EQ(fold.apply(Report{numbered(2), 2, packed_signs("00")}, 9).counted, 2U);
  for (Period t = 1; t <= kPeriods; ++t) {
    EXPECT_EQ(fold.presence()->missing(t).devices, t == 4 || t == 8 ? 1 : 0) << t;
    EXPECT_EQ(fold.presence()->reported(t).devices, t < 2 ? 0 : t < 4 ? 2 : t < 8 ? 1 : 0) << t;
  }
  expect_survives_checkpoints(plan, fold);
  // It catches up, with zero symbols.
  ASSERT_EQ(fold.apply(Report{numbered(2), 4, packed_signs("0000")}, 9).counted, 4U);
  EXPECT_EQ(fold.presence()->missing(4), DeviceSum{});
  EXPECT_EQ(fold.presence()->missing(8).devices, 2);
}

TEST(FoldPresence, ComesBackFromACheckpoint) {
  std::mt19937_64 random(4);
  Fold fold = new_fold(quiet_plan());
  for (const Sent& sent : some_senders(300, random)) {
    ASSERT_EQ(fold.apply(sent.enrolment, kPeriods + 1), Verdict{});
    if (sent.signs.empty()) continue;
    const Report report{sent.enrolment.client, sent.enrolment.period, packed_signs(sent.signs)};
    ASSERT_EQ(fold.apply(report, kPeriods + 1).counted, sent.signs.size());
  }
  EXPECT_GT(fold.presence()->clipped(20), 0U);
  expect_survives_checkpoints(quiet_plan(), fold);
  // What is added from another fold of other clients is counted too, whatever its key.
  Fold twice(quiet_plan(), HashKey{8, 9},
             empty_presence(quiet_plan(), fold.presence()->estimate().is_capped()));
  ASSERT_TRUE(FoldCheckpoint::add(fold, twice));
  EXPECT_EQ(*twice.presence(), *fold.presence());
}

TEST(FoldPresence, RefusesDamagedClients) {
  Fold fold = new_fold(presence_plan());
  ASSERT_EQ(fold.apply(Enrolment{numbered(1), 0, 2, 0}, 9), Verdict{});
  ASSERT_EQ(fold.apply(Report{numbered(1), 2, packed_signs("+-+")}, 9).counted, 3U);
  const std::size_t piece = 1 + fold.shard_of(numbered(1));
  const std::string good = FoldCheckpoint::save(fold, piece);
  ASSERT_EQ(good.size(), 25U);
  std::string stray = good;
  stray.back() = static_cast<char>(0x12);  // a bit behind the third
  for (const std::string& bytes : {good.substr(0, 24), good + '\0', stray}) {
    Fold copy = new_fold(presence_plan());
    EXPECT_FALSE(FoldCheckpoint::load(piece, bytes, copy));
  }
  Fold copy = new_fold(presence_plan());
  EXPECT_TRUE(FoldCheckpoint::load(piece, good, copy));
  // Tables that end early.
  const std::string tables = FoldCheckpoint::save(fold, 0);
  for (const std::size_t size : {std::size_t{0}, tables.size() / 2, tables.size() - 1}) {
    Fold broken = new_fold(presence_plan());
    EXPECT_FALSE(FoldCheckpoint::load(0, tables.substr(0, size), broken)) << size;
  }
}

}  // namespace
}  // namespace futurerand
