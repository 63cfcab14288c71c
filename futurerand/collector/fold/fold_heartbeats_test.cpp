// Heartbeats in the fold: who is there is known of devices that report now and then.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/collector/fold/test/surviving_fold.hpp"

namespace futurerand {
namespace {

constexpr HashKey kBeatKey{5, 6};
constexpr Period kBeatPeriods = 20;

Plan beating_plan(const char* epsilon = "4") {
  Plan plan = *make_plan(Protocol::kHybrid, kBeatPeriods, 2, *Epsilon::parse(epsilon));
  plan.heartbeats = true;
  return plan;
}

ClientId beat_id(std::uint32_t number) {
  ClientId id;
  for (std::size_t i = 0; i < 4; ++i) id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

// A device and all that it ever sends: it is there up to the period before `next`.
struct Beating {
  Enrolment enrolment;
  Schedule schedule;
  Period next;
  std::string signs;

  std::uint32_t first() const { return schedule.first_index(enrolment.period, enrolment.index); }
  // The signs that are due by a period.
  std::string signs_by(Period period) const {
    return signs.substr(0, schedule.num_owed(first(), std::min(period, next - 1)));
  }
};

std::vector<Beating> some_beating(const Plan& plan, std::size_t count, std::mt19937_64& random) {
  std::vector<Beating> devices;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto view = static_cast<std::uint32_t>(i % plan.views.size());
    const Schedule schedule(plan.views[view], kBeatPeriods);
    const auto joined = static_cast<Period>(1 + random() % kBeatPeriods);
    const auto start =
        static_cast<std::uint32_t>(schedule.draws_start() ? 1 + random() % schedule.stride : 0);
    const auto next = static_cast<Period>(joined + random() % (kBeatPeriods + 2 - joined));
    Beating device{{beat_id(i * 7919), view, joined, start}, schedule, next, ""};
    const std::uint32_t owed = next == joined ? 0 : schedule.num_owed(device.first(), next - 1);
    for (std::uint32_t j = 0; j < owed; ++j) {
      device.signs += schedule.may_be_zero && random() % 2 == 0 ? '0'
                      : random() % 2 == 0                       ? '+'
                                                                : '-';
    }
    devices.push_back(device);
  }
  return devices;
}

// All of what was sent by the end of a period, at once, then the clock.
Fold folded_at_once(const Plan& plan, const std::vector<Beating>& devices, Period current,
                    const LeavingRule& rule) {
  Fold fold(plan, kBeatKey, Presence(plan, nullptr, rule));
  for (const Beating& device : devices) {
    const ClientId& client = device.enrolment.client;
    EXPECT_EQ(fold.apply(device.enrolment, kBeatPeriods + 1).outcome, Outcome::kAccepted);
    if (!device.signs.empty()) {
      const Verdict verdict =
          fold.apply(Report{client, device.first(), device.signs}, kBeatPeriods + 1);
      EXPECT_EQ(verdict.counted, device.signs.size());
    }
    if (device.next == device.enrolment.period) continue;
    EXPECT_NE(fold.apply(Heartbeat{client, device.next - 1}, kBeatPeriods + 1).outcome,
              Outcome::kRejected);
  }
  fold.retire(current);
  return fold;
}

// Who stands in which row depends on what came and on the clock, not on what came when.
TEST(FoldHeartbeats, RowsAreAFunctionOfWhatCameAndTheClock) {
  std::mt19937_64 random(3);
  for (const auto& [plan, rule] : std::vector<std::pair<Plan, LeavingRule>>{
           {beating_plan("1"), {1, 3}}, {beating_plan("4"), {4, 2}}, {beating_plan("1"), {8, 5}}}) {
    const std::vector<Beating> devices = some_beating(plan, 120, random);
    Fold fold(plan, kBeatKey, Presence(plan, nullptr, rule));
    std::vector<bool> enrolled(devices.size());
    for (Period current = 1; current <= kBeatPeriods + 4; ++current) {
      fold.tell_clock(current);
      for (std::size_t i = 0; i < devices.size(); ++i) {
        const Beating& device = devices[i];
        const ClientId& client = device.enrolment.client;
        for (auto parts = random() % 6; parts > 0; --parts) fold.retire_part();
        const bool last = current == kBeatPeriods + 4;
        if (device.enrolment.period > current || (!last && random() % 3 != 0)) continue;
        if (!enrolled[i]) {
          ASSERT_EQ(fold.apply(device.enrolment, current).outcome, Outcome::kAccepted);
          enrolled[i] = true;
        }
        if (current == 1 || device.next == device.enrolment.period) continue;
        const Period told = std::min(current, device.next) - 1;
        if (told < device.enrolment.period) continue;
        if (const std::string signs = device.signs_by(told); !signs.empty()) {
          const Report report{client, device.first(), signs};
          const Verdict verdict = fold.apply(report, current);
          ASSERT_NE(verdict.outcome, Outcome::kRejected);
          if (verdict.outcome == Outcome::kAccepted && random() % 4 == 0) {  // a log without room
            const Presence after = *fold.presence();
            fold.revert(report, verdict);
            ASSERT_EQ(fold.apply(report, current), verdict);
            ASSERT_EQ(*fold.presence(), after);
          }
        }
        const Heartbeat heartbeat{client, told};
        const Presence before = *fold.presence();
        const Verdict verdict = fold.apply(heartbeat, current);
        ASSERT_NE(verdict.outcome, Outcome::kRejected);
        if (verdict.outcome == Outcome::kAccepted && random() % 4 == 0) {
          const Presence after = *fold.presence();
          fold.revert(heartbeat, verdict);
          ASSERT_EQ(*fold.presence(), before);
          ASSERT_EQ(fold.apply(heartbeat, current), verdict);
          ASSERT_EQ(*fold.presence(), after);
        }
        ASSERT_EQ(fold.apply(heartbeat, current).outcome, Outcome::kDuplicate);
      }
    }
    fold.retire(kBeatPeriods + 4);
    const Fold expected = folded_at_once(plan, devices, kBeatPeriods + 4, rule);
    EXPECT_EQ(*fold.presence(), *expected.presence());
    EXPECT_EQ(fold.sums(), expected.sums());
  }
}

TEST(FoldHeartbeats, SayThatADeviceIsThereAndNothingElse) {
  Plan plan = *make_plan(Protocol::kOptimal, kBeatPeriods, 2, *Epsilon::parse("1"));
  Fold without(plan, kBeatKey);
  ASSERT_EQ(without.apply(Enrolment{beat_id(1), 2, 2, 0}, 9), Verdict{});
  EXPECT_EQ(without.apply(Heartbeat{beat_id(1), 3}, 9).reason, Reason::kNoHeartbeats);

  plan.heartbeats = true;
  Fold fold(plan, kBeatKey, Presence(plan));
  const ClientId client = beat_id(1);
  EXPECT_EQ(fold.apply(Heartbeat{client, 3}, 9).reason, Reason::kUnknownClient);
  ASSERT_EQ(fold.apply(Enrolment{client, 2, 2, 0}, 9), Verdict{});  // reports at 4, 8, ...
  const Sums sums = fold.sums();
  EXPECT_EQ(fold.apply(Heartbeat{client, 0}, 9).reason, Reason::kBadPeriod);
  EXPECT_EQ(fold.apply(Heartbeat{client, kBeatPeriods + 1}, 9).reason, Reason::kBadPeriod);
  // Before it joined it was not there, and nothing of it is missing.
  EXPECT_EQ(fold.apply(Heartbeat{client, 1}, 9).outcome, Outcome::kDuplicate);
  EXPECT_EQ(fold.apply(Heartbeat{client, 3}, 2).reason, Reason::kEarly);
  // Of a device whose clock is ahead what is over counts, and the rest is to be sent again.
  EXPECT_EQ(fold.apply(Heartbeat{client, 3}, 3),
            (Verdict{Outcome::kAccepted, Reason::kEarly, 0, 0, 2}));
  EXPECT_EQ(fold.apply(Heartbeat{client, 3}, 9),
            (Verdict{Outcome::kAccepted, Reason::kNone, 0, 2, 3}));
  EXPECT_EQ(fold.apply(Heartbeat{client, 3}, 9).outcome, Outcome::kDuplicate);
  EXPECT_EQ(fold.apply(Heartbeat{client, 2}, 9).outcome, Outcome::kDuplicate);
  // The report of period 4 is missing: nobody is there without it.
  EXPECT_EQ(fold.apply(Heartbeat{client, 5}, 9),
            (Verdict{Outcome::kRejected, Reason::kGap, 1, 0, 0}));
  fold.retire(6);
  EXPECT_EQ(fold.presence()->row(4).devices, 1U);
  EXPECT_EQ(fold.sums(), sums);
  // The report alone shows that it was there when it was due.
  ASSERT_EQ(fold.apply(Report{client, 1, "-"}, 9).counted, 1U);
  EXPECT_EQ(fold.presence()->row(4), Presence::Row{});
  EXPECT_EQ(fold.apply(Heartbeat{client, 4}, 9).outcome, Outcome::kDuplicate);
  EXPECT_EQ(fold.apply(Heartbeat{client, 5}, 9).outcome, Outcome::kAccepted);
  fold.retire(8);
  EXPECT_EQ(fold.presence()->row(6).devices, 1U);
  EXPECT_EQ(fold.presence()->missing(6), 1U);
  // It comes back.
  EXPECT_EQ(fold.apply(Heartbeat{client, 7}, 9).outcome, Outcome::kAccepted);
  EXPECT_EQ(fold.presence()->row(6), Presence::Row{});
  EXPECT_EQ(fold.presence()->missing(6), 0U);
}

TEST(FoldHeartbeats, ComeBackFromACheckpoint) {
  std::mt19937_64 random(4);
  const Plan plan = beating_plan();
  for (const LeavingRule& rule : {LeavingRule{1, 3}, {4, 3}}) {
    expect_survives_checkpoints(
        plan, folded_at_once(plan, some_beating(plan, 300, random), 15, rule), 15);
  }
}

TEST(FoldHeartbeats, DamagedClientsAreRefused) {
  const Plan plan = beating_plan("1");
  Fold fold(plan, kBeatKey, Presence(plan));
  ASSERT_EQ(fold.apply(Enrolment{beat_id(1), 0, 2, 0}, 9), Verdict{});
  ASSERT_EQ(fold.apply(Report{beat_id(1), fold.expected_from(beat_id(1)), "+-"}, 9).counted, 2U);
  const std::string good = FoldCheckpoint::save(fold, 2);
  ASSERT_EQ(good.size(), 26U);  // the client, the heartbeat's period, two bits
  std::string late = good;
  late[24] = static_cast<char>(kBeatPeriods + 1);
  std::string stray = good;
  stray.back() = 0x12;
  for (const std::string& bytes : {good.substr(0, 25), good + '\0', late, stray}) {
    Fold copy(plan, kBeatKey, Presence(plan));
    EXPECT_FALSE(FoldCheckpoint::load(2, bytes, copy));
  }
  Fold copy(plan, kBeatKey, Presence(plan));
  EXPECT_TRUE(FoldCheckpoint::load(2, good, copy));
}

}  // namespace
}  // namespace futurerand
