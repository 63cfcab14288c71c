// Departed and forgotten devices: the data that stays, and the data that goes.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/collector/fold/test/surviving_fold.hpp"
#include "futurerand/core/base/test/packed_signs.hpp"

namespace futurerand {
namespace {

constexpr HashKey kDepartureKey{11, 12};
constexpr Period kDeparturePeriods = 70;  // more than a word of bits

Plan departure_plan() {
  return *make_plan(Protocol::kInnovation, kDeparturePeriods, 1, *Epsilon::parse("4"));
}

Fold departure_fold(const Plan& plan, const HashKey& key = kDepartureKey) {
  return Fold(plan, key, empty_presence(plan, true));
}

ClientId departing(std::uint32_t number) {
  ClientId id;
  for (std::size_t i = 0; i < 4; ++i) id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  id.bytes[9] = 1;
  return id;
}

struct Departing {
  Enrolment enrolment;
  Report report;
};

std::vector<Departing> some_devices(std::uint32_t count, std::mt19937_64& random) {
  std::vector<Departing> devices;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto joined = static_cast<Period>(1 + random() % 20);
    Departing device{{departing(i), 0, joined, 0}, {departing(i), joined, {}}};
    const std::size_t reports = random() % (kDeparturePeriods + 2 - joined);
    std::string signs;
    for (std::size_t j = 0; j < reports; ++j) signs += "+-0000"[random() % 6];
    device.report.signs = packed_signs(signs);
    devices.push_back(device);
  }
  return devices;
}

void tell(Fold& fold, const Departing& device) {
  ASSERT_EQ(fold.apply(device.enrolment, kDeparturePeriods + 1), Verdict{});
  if (device.report.signs.empty()) return;
  ASSERT_EQ(fold.apply(device.report, kDeparturePeriods + 1).outcome, Outcome::kAccepted);
}

std::string all_pieces(const Fold& fold) {
  std::string bytes;
  for (std::size_t piece = 0; piece < FoldCheckpoint::num_pieces(); ++piece) {
    bytes += FoldCheckpoint::save(fold, piece) + "|";
  }
  return bytes;
}

// A device that left is in no count from its first missing period on, whereas a silent one is for a
// while. What it reported stays.
TEST(FoldDeparture, WhoLeftIsNotAmongTheSilent) {
  const Plan plan = departure_plan();
  Fold fold = departure_fold(plan);
  const Departing device{{departing(1), 0, 2, 0}, {departing(1), 2, packed_signs("+-0+")}};
  tell(fold, device);
  ASSERT_EQ(fold.presence()->missing(6).devices, 1);
  const Sums before = fold.sums();
  EXPECT_EQ(fold.apply(Leave{departing(1), 8}, 7), (Verdict{Outcome::kRejected, Reason::kEarly}));
  EXPECT_EQ(fold.apply(Leave{departing(1), 1}, 7),
            (Verdict{Outcome::kRejected, Reason::kBadPeriod}));
  EXPECT_EQ(fold.apply(Leave{departing(1), 71}, 80),
            (Verdict{Outcome::kRejected, Reason::kBadPeriod}));
  EXPECT_EQ(fold.apply(Leave{departing(2), 7}, 7),
            (Verdict{Outcome::kRejected, Reason::kUnknownClient}));
  ASSERT_EQ(fold.apply(Leave{departing(1), 7}, 7), Verdict{});
  for (Period t = 1; t <= kDeparturePeriods; ++t) {
    EXPECT_EQ(fold.presence()->missing(t), DeviceSum{}) << t;
    EXPECT_EQ(fold.presence()->reported(t).devices, t >= 2 && t < 6 ? 1 : 0) << t;
  }
  EXPECT_EQ(fold.sums(), before);
  EXPECT_EQ(fold.num_clients(), 1U);
  // Again, by whatever period, and late reports.
  EXPECT_EQ(fold.apply(Leave{departing(1), 6}, 7).outcome, Outcome::kDuplicate);
  EXPECT_EQ(fold.apply(device.report, 80).outcome, Outcome::kDuplicate);
  EXPECT_EQ(fold.apply(device.enrolment, 80).outcome, Outcome::kDuplicate);
  EXPECT_EQ(fold.apply(Report{departing(1), 6, packed_signs("+")}, 80),
            (Verdict{Outcome::kRejected, Reason::kLeft}));
  EXPECT_EQ(fold.expected_from(departing(1)), 0U);
  expect_survives_checkpoints(plan, fold);
  fold.revert(Leave{departing(1), 7});
  EXPECT_EQ(fold.presence()->missing(6).devices, 1);
  EXPECT_EQ(fold.apply(Report{departing(1), 6, packed_signs("+")}, 80).outcome, Outcome::kAccepted);
}

// The fold that forgot some devices is the fold that never had them, except for hashes of their
// ids.
TEST(FoldDeparture, WhoIsForgottenWasNeverThere) {
  const Plan plan = departure_plan();
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<Departing> devices = some_devices(80, random);
    Fold fold = departure_fold(plan), never = departure_fold(plan), some = departure_fold(plan);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      tell(fold, devices[i]);
      if (i % 3 != 0) {
        tell(never, devices[i]);
        tell(some, devices[i]);
        continue;
      }
      tell(some, devices[i]);
      if (random() % 2 == 0) {
        ASSERT_EQ(fold.apply(Leave{devices[i].report.client, 70}, 71), Verdict{});
        ASSERT_EQ(some.apply(Leave{devices[i].report.client, 70}, 71), Verdict{});
      }
    }
    const std::string as_before = all_pieces(some);
    std::vector<Forgotten> taken;
    for (std::size_t i = 0; i < devices.size(); i += 3) {
      ASSERT_EQ(fold.apply(Forget{devices[i].report.client}, taken.emplace_back()), Verdict{});
    }
    EXPECT_EQ(fold.sums(), never.sums());
    EXPECT_EQ(*fold.presence(), *never.presence());
    EXPECT_EQ(fold.num_clients(), never.num_clients());
    EXPECT_EQ(fold.num_forgotten(), taken.size());
    const std::string saved = all_pieces(fold);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const ClientId& id = devices[i].report.client;
      const std::string bytes(id.bytes.begin(), id.bytes.end());
      EXPECT_EQ(saved.find(bytes) == std::string::npos, i % 3 == 0) << i;
      if (i % 3 != 0) continue;
      // A delayed enrolment does not bring it back, and neither does anything else.
      EXPECT_EQ(fold.apply(devices[i].enrolment, 71),
                (Verdict{Outcome::kRejected, Reason::kForgotten}));
      EXPECT_EQ(fold.apply(Report{id, 1, packed_signs("+")}, 71),
                (Verdict{Outcome::kRejected, Reason::kUnknownClient}));
      EXPECT_EQ(fold.apply(Leave{id, 70}, 71).outcome, Outcome::kDuplicate);
      Forgotten again;
      EXPECT_EQ(fold.apply(Forget{id}, again).outcome, Outcome::kDuplicate);
    }
    EXPECT_EQ(all_pieces(fold), saved);
    expect_survives_checkpoints(plan, fold);
    // A fold under another key that took it in refuses them too.
    Fold other = departure_fold(plan, {21, 22});
    ASSERT_TRUE(FoldCheckpoint::add(fold, other));
    EXPECT_EQ(other.sums(), never.sums());
    EXPECT_EQ(other.apply(devices[0].enrolment, 71),
              (Verdict{Outcome::kRejected, Reason::kForgotten}));
    EXPECT_EQ(other.num_forgotten(), taken.size());
    // The log had no room: all of them come back, as they were.
    for (; !taken.empty(); taken.pop_back()) fold.revert(taken.back());
    EXPECT_EQ(all_pieces(fold), as_before);
    EXPECT_EQ(fold.sums(), some.sums());
  }
}

TEST(FoldDeparture, AnIdThatIsForgottenBeforeItEnrolsNeverDoes) {
  const Plan plan = departure_plan();
  Fold fold = departure_fold(plan);
  Forgotten taken;
  ASSERT_EQ(fold.apply(Forget{departing(1)}, taken), Verdict{});
  EXPECT_EQ(taken.word, 0U);
  EXPECT_EQ(fold.apply(Enrolment{departing(1), 0, 1, 0}, 1),
            (Verdict{Outcome::kRejected, Reason::kForgotten}));
  fold.revert(taken);
  EXPECT_EQ(fold.apply(Enrolment{departing(1), 0, 1, 0}, 1), Verdict{});
  // Where devices report rarely there are no transcripts: nothing can be taken out.
  const Plan rare = *make_plan(Protocol::kHybrid, 16, 2, *Epsilon::parse("1"));
  Fold without(rare, kDepartureKey);
  ASSERT_EQ(without.apply(Enrolment{departing(1), 0, 1, 0}, 1), Verdict{});
  EXPECT_EQ(without.apply(Forget{departing(1)}, taken),
            (Verdict{Outcome::kRejected, Reason::kNoTranscripts}));
  EXPECT_EQ(without.num_clients(), 1U);
  EXPECT_EQ(without.apply(Leave{departing(1), 1}, 1), Verdict{});
  EXPECT_EQ(without.apply(Leave{departing(1), 1}, 1).outcome, Outcome::kDuplicate);
}

// Once a metric is closed no hash of an id is left.
TEST(FoldDeparture, HashesGoWhenTheMetricIsClosed) {
  Fold fold = departure_fold(departure_plan());
  Forgotten taken;
  ASSERT_EQ(fold.apply(Forget{departing(1)}, taken), Verdict{});
  fold.drop_clients();
  EXPECT_EQ(fold.num_forgotten(), 0U);
}

}  // namespace
}  // namespace futurerand
