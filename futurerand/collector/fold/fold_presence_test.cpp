#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/collector/fold/test/surviving_fold.hpp"
#include "futurerand/estimator/active.hpp"

namespace futurerand {
namespace {

constexpr HashKey kPresenceKey{5, 6};
constexpr Period kPeriods = 40;

Plan presence_plan() {
  return *make_plan(Protocol::kInnovation, kPeriods, 2, *Epsilon::parse("1"));
}

// Honest devices are mostly silent: who always speaks says far more than they do.
Plan sparse_plan() { return *make_plan(Protocol::kInnovation, kPeriods, 1, *Epsilon::parse("4")); }

// Who was there, and what was said beyond the limits of transcripts.
Presence kept(const Plan& plan = presence_plan()) { return *empty_presence(plan, true); }
Presence kept(const LeavingRule& rule) {
  return Presence(sparse_plan(), TranscriptLimits::of(sparse_plan()), rule);
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
    const std::size_t told = random() % (kPeriods + 2 - joined);
    for (std::size_t j = 0; j < told; ++j) sent.signs += "+-000000"[random() % 8];
    // Some say more than hardly any honest device does, above and, fewer of them, below.
    if (i % 4 == 0)
      sent = {{numbered(i * 7919), 0, 1 + i % 3, 0}, std::string(i % 38, "+-"[i % 16 / 12])};
    senders.push_back(sent);
  }
  return senders;
}

// All that is over at once, then the clock.
Fold folded_at_once(const std::vector<Sent>& senders, Period current, const LeavingRule& rule) {
  Fold fold(sparse_plan(), kPresenceKey, kept(rule));
  for (const Sent& sent : senders) {
    if (sent.enrolment.period > current) continue;
    EXPECT_EQ(fold.apply(sent.enrolment, current).outcome, Outcome::kAccepted);
    if (sent.signs.empty() || sent.enrolment.period == current) continue;
    EXPECT_EQ(fold.apply(Report{sent.enrolment.client, sent.enrolment.period, sent.signs}, current)
                  .outcome,
              Outcome::kAccepted);
  }
  fold.retire(current);
  return fold;
}

// Nothing of what was said beyond limits is nothing, or balanced by its opposite.
void expect_beyond(const Presence& presence) {
  EXPECT_GT(presence.beyond(20).devices, 0U);
  EXPECT_GT(presence.beyond(20).excess, 0);
  std::int64_t before = 0, in_rows = 0;
  for (Period t = 1; t <= kPeriods; ++t) {
    before += presence.excess_before(t);
    in_rows += presence.row(t).excess + presence.excess_of_merged(t);
  }
  EXPECT_GT(before, 0);
  EXPECT_GT(in_rows, 0);
}

// Who stands in which row depends on what came and on the clock, not on what came when: devices
// that pause are put into rows and taken out again as they catch up, also from merged ones.
TEST(FoldPresence, IsAFunctionOfReportsAndClock) {
  std::mt19937_64 random(3);
  for (unsigned round = 0; round < 10; ++round) {
    const LeavingRule rule{1U << round % 5, 2 + round % 3};
    const Period end = round < 5 ? kPeriods + 4 : 26 + round;
    const std::vector<Sent> senders = some_senders(60, random);
    Fold fold(sparse_plan(), kPresenceKey, kept(rule));
    std::vector<std::size_t> sent(senders.size());
    std::vector<bool> enrolled(senders.size());
    for (Period current = 1; current <= end; ++current) {
      fold.tell_clock(current);  // and some parts of it, a few for each report below
      for (std::size_t i = 0; i < senders.size(); ++i) {
        const Enrolment& enrolment = senders[i].enrolment;
        const bool last = current == end;
        for (auto parts = random() % 6; parts > 0; --parts) fold.retire_part();
        if (enrolment.period > current || (!last && random() % 3 != 0)) continue;
        if (!enrolled[i]) {
          ASSERT_EQ(fold.apply(enrolment, current).outcome, Outcome::kAccepted);
          enrolled[i] = true;
        }
        const std::size_t due = std::min<std::size_t>(
            senders[i].signs.size(), current > enrolment.period ? current - enrolment.period : 0);
        if (due <= sent[i]) continue;
        const std::size_t now = last ? due : sent[i] + 1 + random() % (due - sent[i]);
        const Report report{enrolment.client, enrolment.period, senders[i].signs.substr(0, now)};
        const Verdict verdict = fold.apply(report, current);
        ASSERT_EQ(verdict.counted, now - sent[i]);
        if (random() % 4 == 0) {  // a log without room
          const Presence after = *fold.presence();
          fold.revert(report, verdict);
          ASSERT_EQ(fold.apply(report, current), verdict);
          ASSERT_EQ(*fold.presence(), after);
        }
        sent[i] = now;
      }
    }
    fold.retire(end);
    const Fold expected = folded_at_once(senders, end, rule);
    EXPECT_EQ(*fold.presence(), *expected.presence());
    EXPECT_EQ(fold.presence()->merged(),
              rule.step == 1 ? 0 : std::min(end - rule.gone_after, kPeriods));
    expect_beyond(*fold.presence());
    EXPECT_EQ(fold.sums(), expected.sums());
    // Shards of a cluster, of which each knows its own devices, together.
    Fold shards[] = {Fold(sparse_plan(), kPresenceKey, kept(rule)),
                     Fold(sparse_plan(), kPresenceKey, kept(rule))};
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<Sent> some;
      for (std::size_t j = i; j < senders.size(); j += 2) some.push_back(senders[j]);
      shards[i] = folded_at_once(some, end, rule);
    }
    Presence merged = kept(rule);
    for (const Fold& shard : shards) merged.merge(*shard.presence());
    EXPECT_EQ(merged, *expected.presence());
  }
}

// While parts are sorted, figures are as of the clock before: until then nobody who is only late by
// that one is in a merged row.
TEST(FoldPresence, MergesRowsOnceAllPartsAreSorted) {
  Fold fold(sparse_plan(), kPresenceKey, kept(LeavingRule{8, 3}));
  for (const std::uint32_t first_byte : {0U, 255U}) {
    ASSERT_EQ(fold.apply(Enrolment{numbered(first_byte), 0, 1, 0}, 20), Verdict{});
    ASSERT_EQ(fold.apply(Report{numbered(first_byte), 1, "+00+00000+"}, 20).counted, 10U);
  }
  ASSERT_EQ(fold.apply(Enrolment{numbered(7), 0, 1, 0}, 20), Verdict{});
  // At first nobody stands in a row, and nobody who is gone needs one of its own.
  fold.tell_clock(13);
  EXPECT_EQ(fold.presence()->merged(), 10U);
  fold.retire(13);
  EXPECT_EQ(fold.presence()->merged(), 10U);
  EXPECT_EQ(fold.presence()->row(1).devices, 1U);
  EXPECT_EQ(fold.presence()->row(9).devices, 0U);
  EXPECT_EQ(fold.presence()->row(11).devices, 2U);
  fold.tell_clock(14);
  while (fold.retire_part()) EXPECT_EQ(fold.presence()->merged(), 10U);
  EXPECT_EQ(fold.presence()->merged(), 11U);
  EXPECT_EQ(fold.presence()->row(11), Presence::Row{});
  const Presence::Row& row = fold.presence()->row(9);
  EXPECT_EQ(row.devices, 2U);
  EXPECT_EQ(row.joined.size(), 16U);
  EXPECT_EQ(row.told[9], 2U);
  EXPECT_EQ(row.told[10], 0U);
  // Who comes back knows which period it left in.
  ASSERT_EQ(fold.apply(Report{numbered(255), 11, "00"}, 20).counted, 2U);
  EXPECT_EQ(fold.presence()->row(9).devices, 1U);
  ASSERT_EQ(fold.apply(Report{numbered(0), 11, "0000"}, 20).counted, 4U);
  EXPECT_EQ(fold.presence()->row(9), Presence::Row{});
}

// A plan as long as there are has one row for four periods of leaving, and estimates are those from
// the reports of those who count as there.
TEST(FoldPresence, OfALongPlanHasFewRows) {
  const Plan plan = *make_plan(Protocol::kInnovation, 4096, 2, *Epsilon::parse("1"));
  const Period current = 4003, gone_after = 3;
  ASSERT_EQ(leaving_step(plan.num_periods, plan.heartbeats), 4U);
  const auto folded = [&](Period told) {
    std::mt19937_64 random(8);
    Fold fold(plan, kPresenceKey, empty_presence(plan, false, gone_after));
    for (std::uint32_t i = 0; i < 300; ++i) {
      const auto joined = static_cast<Period>(i % 2 == 0 ? 1 : 1 + random() % 2000);
      const auto next =
          static_cast<Period>(i % 5 == 0 ? current : joined + random() % (current - joined));
      const bool gone = next + gone_after <= current;
      std::string signs;
      for (Period t = joined; t < next; ++t) signs += random() % 2 == 0 ? '+' : '-';
      // All but those who are gone from a period that they told of, or before it.
      if (gone && next - (next - 1) % 4 <= told) continue;
      EXPECT_EQ(fold.apply(Enrolment{numbered(i), 0, joined, 0}, current), Verdict{});
      if (signs.empty()) continue;
      EXPECT_EQ(fold.apply(Report{numbered(i), joined, signs}, current).counted, signs.size());
    }
    fold.retire(current);
    return fold;
  };
  const Fold fold = folded(0);
  std::uint64_t gone = 0;
  for (Period t = 1; t + gone_after <= current; ++t) {
    gone += fold.presence()->row(t).devices;
    EXPECT_TRUE(t % 4 == 1 || fold.presence()->row(t).devices == 0) << t;
  }
  EXPECT_GT(gone, 200U);
  const auto active = estimate_active(plan, fold.sums(), *fold.presence(), {current, gone_after},
                                      EstimatorKind::kOnline, current - 1);
  for (const Period t : {1U, 4U, 1000U, 1001U, 1002U, 2999U, 3000U, 3998U, 4000U}) {
    const PeriodEstimate expected =
        estimate(plan, folded(t).sums(), EstimatorKind::kOnline, t).back();
    EXPECT_NEAR(active[t - 1].at.estimate, expected.estimate,
                1e-6 * (1 + std::abs(expected.estimate)));
    EXPECT_NEAR(active[t - 1].at.stddev, expected.stddev, 1e-6 * (1 + expected.stddev));
    EXPECT_EQ(active[t - 1].devices, folded(t).sums().enrolled_by_period()[t - 1]);
  }
}

TEST(FoldPresence, RowsHoldWhatTheirDevicesTold) {
  Fold fold(presence_plan(), kPresenceKey, kept());
  ASSERT_EQ(fold.apply(Enrolment{numbered(1), 0, 2, 0}, 9), Verdict{});
  ASSERT_EQ(fold.apply(Report{numbered(1), 2, "+-+"}, 9).counted, 3U);
  // Periods 5 and 6 are over and missing: more than the newest. With 7 running it is in a row.
  fold.retire(6);
  EXPECT_EQ(fold.presence()->row(5).devices, 0U);
  fold.retire(7);
  const Presence::Row& row = fold.presence()->row(5);
  EXPECT_EQ(row.devices, 1U);
  EXPECT_EQ(row.sums, (std::vector<std::int64_t>{0, 1, -1, 1, 0}));
  EXPECT_EQ(row.joined, (std::vector<std::uint64_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(fold.presence()->newcomers(2), (IndexSum{1, 1, 1}));
  // A clock that goes back changes nothing, and who comes back is out of its row.
  fold.retire(3);
  EXPECT_EQ(fold.presence()->row(5).devices, 1U);
  ASSERT_EQ(fold.apply(Report{numbered(1), 5, "-"}, 9).counted, 1U);
  EXPECT_EQ(fold.presence()->row(5), Presence::Row{});
  EXPECT_EQ(fold.presence()->row(6).devices, 0U);
}

// The clients of one shard are one part; whoever reports between two parts is in the right row.
TEST(FoldPresence, IsSortedInParts) {
  Fold fold(presence_plan(), kPresenceKey, kept());
  for (const std::uint32_t first_byte : {0U, 7U, 255U}) {
    ASSERT_EQ(fold.apply(Enrolment{numbered(first_byte), 0, 1, 0}, 9), Verdict{});
    ASSERT_EQ(fold.apply(Report{numbered(first_byte), 1, "+-+"}, 9).counted, 3U);
  }
  fold.retire(5);
  EXPECT_EQ(fold.presence_period(), 5U);
  fold.tell_clock(6);
  EXPECT_TRUE(fold.is_retiring());
  EXPECT_EQ(fold.presence()->row(4).devices, 0U);
  ASSERT_TRUE(fold.retire_part());  // shard 0
  EXPECT_EQ(fold.presence()->row(4).devices, 1U);
  EXPECT_EQ(fold.presence_period(), 5U);
  // One that is sorted comes back, and one that is not sorted yet; the clock goes on meanwhile.
  ASSERT_EQ(fold.apply(Report{numbered(0), 4, "-"}, 9).counted, 1U);
  EXPECT_EQ(fold.presence()->row(4).devices, 0U);
  ASSERT_EQ(fold.apply(Report{numbered(7), 4, "+"}, 9).counted, 1U);
  fold.tell_clock(7);
  std::size_t parts = 1;
  while (fold.retire_part()) ++parts;
  EXPECT_EQ(parts, ClientTable::kNumShards);
  EXPECT_FALSE(fold.is_retiring());
  EXPECT_EQ(fold.presence_period(), 7U);
  EXPECT_EQ(fold.presence()->row(4).devices, 1U);  // shard 255
  EXPECT_EQ(fold.presence()->row(5).devices, 2U);
}

// A period in which a device is silent is told like any other: it is not missing.
TEST(FoldPresence, SilenceShowsThatADeviceIsThere) {
  const Plan plan = *make_plan(Protocol::kInnovation, kPeriods, 1, *Epsilon::parse("4"));
  ASSERT_TRUE(may_be_zero(plan.views.front().law));
  Fold fold(plan, kPresenceKey, *empty_presence(plan, true));
  for (const std::uint32_t device : {1U, 2U}) {
    ASSERT_EQ(fold.apply(Enrolment{numbered(device), 0, 2, 0}, 9), Verdict{});
  }
  ASSERT_EQ(fold.apply(Report{numbered(1), 2, "0-0+00"}, 9).counted, 6U);
  ASSERT_EQ(fold.apply(Report{numbered(2), 2, "00"}, 9).counted, 2U);
  fold.retire(8);
  // The one that was silent to the end is there; the other's report of period 4 is missing.
  for (Period t = 1; t <= kPeriods; ++t) {
    EXPECT_EQ(fold.presence()->row(t).devices, t == 4 ? 1U : 0U) << t;
  }
  const Presence::Row& row = fold.presence()->row(4);
  EXPECT_EQ(row.sums, (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(row.silent, (std::vector<std::uint64_t>{0, 1, 1, 0}));
  EXPECT_EQ(fold.presence()->newcomers(2), (IndexSum{0, 2, 0}));
  EXPECT_EQ(fold.sums().at(0, 3), (IndexSum{-1, 2, 1}));
  EXPECT_EQ(fold.sums().at(0, 7), (IndexSum{0, 1, 0}));

  Fold copy(plan, HashKey{8, 9}, *empty_presence(plan, true));
  for (std::size_t piece = 0; piece < FoldCheckpoint::num_pieces(); ++piece) {
    ASSERT_TRUE(FoldCheckpoint::load(piece, FoldCheckpoint::save(fold, piece), copy));
  }
  copy.retire(8);
  EXPECT_EQ(*copy.presence(), *fold.presence());
  EXPECT_EQ(copy.sums(), fold.sums());
  // It catches up, silently, and is out of its row.
  for (Fold* either : {&fold, &copy}) {
    ASSERT_EQ(either->apply(Report{numbered(2), 4, "0000"}, 9).counted, 4U);
    EXPECT_EQ(either->presence()->row(4), Presence::Row{});
    EXPECT_EQ(either->sums().at(0, 7), (IndexSum{0, 2, 0}));
  }
}

TEST(FoldPresence, ComesBackFromACheckpoint) {
  std::mt19937_64 random(4);
  for (const LeavingRule& rule : {LeavingRule{1, 3}, {8, 3}}) {
    const Fold fold = folded_at_once(some_senders(300, random), 30, rule);
    expect_beyond(*fold.presence());
    expect_survives_checkpoints(sparse_plan(), fold, 30);
  }
}

TEST(FoldPresence, RefusesDamagedClients) {
  Fold fold(presence_plan(), kPresenceKey, kept());
  ASSERT_EQ(fold.apply(Enrolment{numbered(1), 0, 2, 0}, 9), Verdict{});
  ASSERT_EQ(fold.apply(Report{numbered(1), 2, "+-+"}, 9).counted, 3U);
  const std::string good = FoldCheckpoint::save(fold, 2);
  ASSERT_EQ(good.size(), 25U);
  std::string stray = good;
  stray.back() = static_cast<char>(0x12);  // a bit behind the third
  for (const std::string& bytes : {good.substr(0, 24), good + '\0', stray}) {
    Fold copy(presence_plan(), kPresenceKey, kept());
    EXPECT_FALSE(FoldCheckpoint::load(2, bytes, copy));
  }
  Fold copy(presence_plan(), kPresenceKey, kept());
  EXPECT_TRUE(FoldCheckpoint::load(2, good, copy));
}

}  // namespace
}  // namespace futurerand
