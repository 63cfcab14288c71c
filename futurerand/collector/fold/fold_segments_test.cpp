// A fold with segments is one fold for each segment, and their sum.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/collector/fold/fold.hpp"
#include "futurerand/collector/fold/fold_checkpoint.hpp"

namespace futurerand {
namespace {

constexpr HashKey kSegmentKey{21, 22};
const std::vector<std::string> kPlatforms = {"linux", "mac", "windows"};

Plan with_segments(Plan plan) {
  plan.segments = *Segments::create("platform", kPlatforms);
  return plan;
}

std::vector<Plan> segment_plans() {
  const Epsilon epsilon = *Epsilon::parse("4");
  Plan labels = *make_plan(Protocol::kInnovation, 70, 1, *Epsilon::parse("1"), Initial::kUnknown,
                           *Coding::create(CategoryCoding{{"a", "b", "c"}, "other"}));
  return {*make_plan(Protocol::kInnovation, 70, 1, epsilon),
          *make_plan(Protocol::kHybrid, 64, 2, epsilon),
          *make_plan(Protocol::kSnapshot, 16, 1, epsilon),
          *make_plan(Protocol::kPulse, 64, 1, epsilon), std::move(labels)};
}

Fold segment_fold(const Plan& plan) { return Fold(plan, kSegmentKey, empty_presence(plan, true)); }

ClientId segment_client(std::uint32_t number) {
  ClientId id;
  for (std::size_t i = 0; i < 4; ++i) id.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  id.bytes[15] = 7;
  return id;
}

struct SegmentSender {
  Enrolment enrolment;
  std::vector<Report> runs;
  std::uint32_t stratum;
};

// Devices of any view, each of which reports in two runs.
std::vector<SegmentSender> segment_senders(const Plan& plan, std::uint32_t count,
                                           std::mt19937_64& random) {
  std::vector<SegmentSender> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto view = static_cast<std::uint32_t>(random() % plan.views.size());
    const Schedule shape(plan.views[view], plan.num_periods);
    const auto stratum = static_cast<std::uint32_t>(random() % kPlatforms.size());
    const auto joined = static_cast<Period>(1 + random() % 8);
    const std::uint32_t start =
        shape.draws_start() ? static_cast<std::uint32_t>(1 + random() % shape.stride) : 0;
    SegmentSender sender{
        {segment_client(i), view, joined, start, kPlatforms[stratum]}, {}, stratum};
    std::uint32_t index = shape.first_index(joined, start);
    std::uint32_t pulses = 0;
    for (int run = 0; run < 2; ++run) {
      Report report{segment_client(i), index, {}};
      for (int j = 0; j < 3 && index <= shape.num_indices; ++j, index += shape.stride) {
        const bool zero = shape.may_be_zero && random() % 5 > 1;
        Sign sign = zero ? Sign::kZero : sign_of(random() % 2 == 0);
        if (shape.max_pulses > 0 && sign == Sign::kPlus && ++pulses > shape.max_pulses) {
          sign = Sign::kMinus;
        }
        report.signs.push_back(sign);
      }
      if (!report.signs.empty()) sender.runs.push_back(report);
    }
    all.push_back(std::move(sender));
  }
  return all;
}

std::string segment_pieces(const Fold& fold) {
  std::string bytes;
  for (std::size_t piece = 0; piece < FoldCheckpoint::num_pieces(); ++piece) {
    bytes += FoldCheckpoint::save(fold, piece) + "|";
  }
  return bytes;
}

// What was folded of one segment is what a metric of its devices alone has. The whole is the sum.
void expect_strata(const Fold& fold, const std::vector<Fold>& alone) {
  for (std::uint32_t g = 0; g < alone.size(); ++g) {
    EXPECT_EQ(fold.sums().stratum(g), alone[g].sums()) << g;
    if (fold.presence() != nullptr) {
      EXPECT_EQ(fold.presence()->stratum(g), *alone[g].presence()) << g;
    }
  }
  const Sums& all = fold.sums();
  for (std::uint32_t view = 0; view < all.num_views(); ++view) {
    for (std::uint32_t index = 1; index <= all.num_indices(view); ++index) {
      IndexSum of_segments;
      for (const Fold& one : alone) of_segments = of_segments + one.sums().at(view, index);
      EXPECT_EQ(all.at(view, index), of_segments);
    }
  }
}

TEST(FoldSegments, EachIsAMetricOfItsOwn) {
  std::mt19937_64 random(32);
  for (const Plan& plain : segment_plans()) {
    const Plan plan = with_segments(plain);
    Fold fold = segment_fold(plan);
    std::vector<Fold> alone;
    for (std::size_t g = 0; g < kPlatforms.size(); ++g) alone.push_back(segment_fold(plain));
    const Period end = plan.num_periods + 1;
    for (SegmentSender& sender : segment_senders(plan, 300, random)) {
      ASSERT_EQ(fold.apply(sender.enrolment, end), Verdict{});
      ASSERT_EQ(fold.apply(sender.enrolment, end).outcome, Outcome::kDuplicate);
      Fold& own = alone[sender.stratum];
      sender.enrolment.segment.clear();
      ASSERT_EQ(own.apply(sender.enrolment, end), Verdict{});
      for (const Report& run : sender.runs) {
        ASSERT_EQ(fold.apply(run, end).outcome, Outcome::kAccepted);
        ASSERT_EQ(own.apply(run, end).outcome, Outcome::kAccepted);
      }
      const std::uint64_t fate = random() % 8;
      if (fate == 0) {
        const Leave leave{sender.enrolment.client, end - 1};
        ASSERT_EQ(fold.apply(leave, end), Verdict{});
        ASSERT_EQ(own.apply(leave, end), Verdict{});
      } else if (fate == 1 && fold.presence() != nullptr) {
        Forgotten taken;
        ASSERT_EQ(fold.apply(Forget{sender.enrolment.client}, taken), Verdict{});
        ASSERT_EQ(own.apply(Forget{sender.enrolment.client}, taken), Verdict{});
      }
    }
    expect_strata(fold, alone);
    EXPECT_GE(fold.memory_bytes(), fold.sums().memory_bytes());
  }
}

TEST(FoldSegments, ACheckpointKeepsThem) {
  std::mt19937_64 random(33);
  for (const Plan& plain : segment_plans()) {
    const Plan plan = with_segments(plain);
    Fold fold = segment_fold(plan);
    const Period end = plan.num_periods + 1;
    const std::vector<SegmentSender> all = segment_senders(plan, 200, random);
    for (const SegmentSender& sender : all) {
      ASSERT_EQ(fold.apply(sender.enrolment, end), Verdict{});
      for (const Report& run : sender.runs) (void)fold.apply(run, end);
    }
    for (const bool dropped : {false, true}) {
      if (dropped) fold.drop_clients();
      Fold loaded = segment_fold(plan);
      for (std::size_t piece = 0; piece < FoldCheckpoint::num_pieces(); ++piece) {
        ASSERT_TRUE(FoldCheckpoint::load(piece, FoldCheckpoint::save(fold, piece), loaded));
      }
      EXPECT_EQ(loaded.sums(), fold.sums());
      EXPECT_EQ(segment_pieces(loaded), segment_pieces(fold));
      Fold added = segment_fold(plan);
      ASSERT_TRUE(FoldCheckpoint::add(fold, added));
      EXPECT_EQ(added.sums(), fold.sums());
    }
    // Of a plan with fewer segments none of this can be.
    Plan fewer = plan;
    fewer.segments = *Segments::create("platform", {"linux"});
    Fold other = segment_fold(fewer);
    EXPECT_FALSE(FoldCheckpoint::load(0, FoldCheckpoint::save(fold, 0), other));
  }
}

TEST(FoldSegments, WhatIsTakenBackLeavesNoTrace) {
  std::mt19937_64 random(34);
  for (const Plan& plain : segment_plans()) {
    const Plan plan = with_segments(plain);
    Fold fold = segment_fold(plan);
    const Period end = plan.num_periods + 1;
    const std::vector<SegmentSender> all = segment_senders(plan, 100, random);
    for (std::size_t i = 0; i < 50; ++i) {
      (void)fold.apply(all[i].enrolment, end);
      for (const Report& run : all[i].runs) (void)fold.apply(run, end);
    }
    const std::string before = segment_pieces(fold);
    const Sums sums = fold.sums();
    std::vector<std::pair<const Report*, Verdict>> told;
    for (std::size_t i = 50; i < 100; ++i) {
      ASSERT_EQ(fold.apply(all[i].enrolment, end), Verdict{});
      for (const Report& run : all[i].runs) told.emplace_back(&run, fold.apply(run, end));
    }
    std::vector<Forgotten> forgotten;
    if (fold.presence() != nullptr) {
      for (std::size_t i = 60; i < 70; ++i) {
        (void)fold.apply(Forget{all[i].enrolment.client}, forgotten.emplace_back());
      }
      for (; !forgotten.empty(); forgotten.pop_back()) fold.revert(forgotten.back());
    }
    for (; !told.empty(); told.pop_back()) fold.revert(*told.back().first, told.back().second);
    for (std::size_t i = 100; i-- > 50;) fold.revert(all[i].enrolment);
    EXPECT_EQ(fold.sums(), sums);
    EXPECT_EQ(segment_pieces(fold), before);
  }
}

// The sums were cut before the reports, and the clients after them.
TEST(FoldSegments, ReplayAddsToTheSegment) {
  std::mt19937_64 random(35);
  const Plan plan = with_segments(segment_plans().front());
  Fold fold = segment_fold(plan);
  const Period end = plan.num_periods + 1;
  const std::vector<SegmentSender> all = segment_senders(plan, 60, random);
  for (const SegmentSender& sender : all) (void)fold.apply(sender.enrolment, end);
  const std::string early_sums = FoldCheckpoint::save(fold, 0);
  for (const SegmentSender& sender : all) {
    for (const Report& run : sender.runs) (void)fold.apply(run, end);
  }
  Fold replayed = segment_fold(plan);
  ASSERT_TRUE(FoldCheckpoint::load(0, early_sums, replayed));
  for (std::size_t piece = 1; piece < FoldCheckpoint::num_pieces(); ++piece) {
    ASSERT_TRUE(FoldCheckpoint::load(piece, FoldCheckpoint::save(fold, piece), replayed));
  }
  for (const SegmentSender& sender : all) {
    for (const Report& run : sender.runs) {
      ASSERT_TRUE(replayed.replay(run, end, {.client = false, .sums = true}));
    }
  }
  EXPECT_EQ(replayed.sums(), fold.sums());
  EXPECT_EQ(*replayed.presence(), *fold.presence());
}

TEST(FoldSegments, ABadSegmentIsRejectedAndCannotChange) {
  const Verdict bad{Outcome::kRejected, Reason::kBadSegment};
  const Plan plain = segment_plans().front();
  Fold fold = segment_fold(with_segments(plain));
  const Sums before = fold.sums();
  EXPECT_EQ(fold.apply(Enrolment{segment_client(1), 0, 1, 0, "amiga"}, 1), bad);
  EXPECT_EQ(fold.apply(Enrolment{segment_client(1), 0, 1, 0, ""}, 1), bad);
  EXPECT_EQ(fold.sums(), before);
  EXPECT_EQ(fold.num_clients(), 0U);
  ASSERT_EQ(fold.apply(Enrolment{segment_client(1), 0, 1, 0, "mac"}, 1), Verdict{});
  EXPECT_EQ(fold.apply(Enrolment{segment_client(1), 0, 1, 0, "linux"}, 1),
            (Verdict{Outcome::kRejected, Reason::kEnrolledDifferently}));
  EXPECT_EQ(fold.apply(Enrolment{segment_client(1), 0, 1, 0, ""}, 1), bad);
  EXPECT_EQ(fold.apply(Enrolment{segment_client(1), 0, 1, 0, "mac"}, 1).outcome,
            Outcome::kDuplicate);
  Fold without = segment_fold(plain);
  EXPECT_EQ(without.apply(Enrolment{segment_client(1), 0, 1, 0, "mac"}, 1), bad);
}

TEST(FoldSegments, AClientsWordHoldsEverySegment) {
  for (const std::uint32_t view : {0U, 1U, 255U}) {
    for (const std::uint32_t stratum : {0U, 1U, 128U, 255U}) {
      for (const bool departed : {false, true}) {
        for (const Period period : {Period{1}, kMaxPeriods}) {
          const ClientState plain =
              ClientState(view, period, 2 * kMaxPeriods, 0, stratum).with_departed(departed);
          EXPECT_EQ(plain.view(), view);
          EXPECT_EQ(plain.stratum(), stratum);
          EXPECT_EQ(plain.period(), period);
          EXPECT_EQ(plain.next_index(), 2 * kMaxPeriods);
          EXPECT_EQ(plain.pulses(), 0U);
          EXPECT_EQ(plain.departed(), departed);
        }
        for (const std::uint32_t pulses : {1U, PulseLaw::kMaxPulses}) {
          const ClientState state(view, kMaxPulsePeriods, kMaxPulsePeriods + 1, pulses, stratum);
          const ClientState pulsed = state.with_departed(departed);
          EXPECT_EQ(pulsed.view(), view);
          EXPECT_EQ(pulsed.stratum(), stratum);
          EXPECT_EQ(pulsed.period(), kMaxPulsePeriods);
          EXPECT_EQ(pulsed.next_index(), kMaxPulsePeriods + 1);
          EXPECT_EQ(pulsed.pulses(), pulses);
          EXPECT_EQ(pulsed.departed(), departed);
        }
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
