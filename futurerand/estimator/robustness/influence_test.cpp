#include "futurerand/estimator/robustness/influence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/expected_sums.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"
#include "futurerand/estimator/robustness/grid_claims.hpp"

namespace futurerand {
namespace {

Plan plan_for_liars(Protocol protocol, Period periods, const char* epsilon = "1") {
  return *make_plan(protocol, periods, 4, *Epsilon::parse(epsilon));
}

// The filter's estimate for a device sending only plus is its count.
TEST(Influence, OfInnovationIsWhatAllPlusSays) {
  for (const char* epsilon : {"1", "4"}) {
    const Plan plan = plan_for_liars(Protocol::kInnovation, 64, epsilon);
    const auto& levels = std::get<WeightedThresholdLaw>(plan.views[0].law).levels;
    const double kappa = static_cast<double>(levels.front().gap + levels.back().gap);
    std::vector<double> x(64);
    for (std::size_t t = 0; t < 64; ++t) {
      x[t] = (0x1p40 + static_cast<double>(levels.back().gap)) / kappa;
      for (std::size_t j = 1; j < levels.size() && j <= t; ++j) {
        x[t] += static_cast<double>(levels[j - 1].gap - levels[j].gap) / kappa * x[t - j];
      }
    }
    const Influence influence = influence_of_one(plan);
    for (std::size_t t = 0; t < 64; ++t) EXPECT_NEAR(influence.most[t], x[t], 1e-4 * x[t]) << t;
  }
}

// One interval of each order, at most, is part of a prefix; each is divided by the gap and
// multiplied by the number of orders.
TEST(Influence, OfDyadicSumsIsOneReport) {
  const Plan plan = plan_for_liars(Protocol::kOptimal, 64);
  const double one = 7 / to_double(gap(plan.views[0].law));
  const Influence influence = influence_of_one(plan);
  for (const double most : influence.most) EXPECT_NEAR(most, one, 1e-3 * one);
}

// No view and no start does more, and the one that is named does it.
TEST(Influence, NamesTheWorstView) {
  const Plan plan = plan_for_liars(Protocol::kHybrid, 64);
  const Influence influence = influence_of_one(plan);
  for (std::size_t t = 0; t < 64; ++t) {
    const View& view = plan.views[influence.by[t].view];
    EXPECT_GT(influence.most[t], 1);
    EXPECT_EQ(influence.by[t].start > 0, view.kind == ViewKind::kSnapshot);
    EXPECT_LE(influence.by_changes[t], influence.most[t]);
    EXPECT_LT(influence.in_shares[t], influence.most[t]);
  }
}

// All that one device can do to some reports, tried out: every view and start, every period of
// joining and of leaving, every symbol of every report. Nothing is taken over from influence.cpp.
std::vector<double> most_by_trying(const Plan& plan, const Sums& honest) {
  const Period periods = plan.num_periods;
  const auto before = estimate(plan, honest, EstimatorKind::kOnline, periods);
  std::vector<double> most(periods);
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    const Schedule schedule(plan.views[v], periods);
    const bool draws = plan.views[v].kind == ViewKind::kSnapshot;
    for (std::uint32_t start = draws ? 1 : 0; start <= (draws ? schedule.stride : 0); ++start) {
      for (Period joined = 1; joined <= periods; ++joined) {
        std::vector<std::uint32_t> owed;
        for (std::uint32_t index = 1; index <= periods >> plan.views[v].order; ++index) {
          const bool is_mine = !draws || (index - 1) % schedule.stride + 1 == start;
          if (is_mine && index << plan.views[v].order >= joined) owed.push_back(index);
        }
        // A device that leaves has told a part; each symbol is one of three, or of two.
        const std::uint64_t symbols = may_be_zero(plan.views[v].law) ? 3 : 2;
        for (std::size_t told = joined == 1 ? 0 : owed.size(); told <= owed.size(); ++told) {
          std::uint64_t transcripts = 1;
          for (std::size_t i = 0; i < told; ++i) transcripts *= symbols;
          const auto* pulse = std::get_if<PulseLaw>(&plan.views[v].law);
          for (std::uint64_t transcript = 0; transcript < transcripts; ++transcript) {
            // A fold takes so many pulses from a device and no more; a bit that is not set is one.
            const auto pluses = told - static_cast<std::size_t>(std::popcount(transcript));
            if (pulse != nullptr && pluses > pulse->pulses) continue;
            Sums sums = honest;
            sums.enrol(v, joined, start);
            std::uint64_t rest = transcript;
            for (std::size_t i = 0; i < told; ++i, rest /= symbols) {
              const int sent = rest % symbols == 2 ? 0 : 1 - 2 * static_cast<int>(rest % symbols);
              sums.add(v, owed[i], {sent, 1, sent == 0 ? 0U : 1U});
            }
            const auto after = estimate(plan, sums, EstimatorKind::kOnline, periods);
            for (Period t = 0; t < periods; ++t) {
              const double moved = std::abs(after[t].estimate - before[t].estimate);
              if (std::isfinite(moved)) most[t] = std::max(most[t], moved);
            }
          }
        }
      }
    }
  }
  return most;
}

struct TriedPlan {
  Protocol protocol;
  Period periods;
  std::uint32_t changes;
  const char* epsilon;
};

class EveryStrategy : public testing::TestWithParam<TriedPlan> {};

TEST_P(EveryStrategy, MovesNoPeriodFurther) {
  const TriedPlan& tried = GetParam();
  const Plan plan =
      *make_plan(tried.protocol, tried.periods, tried.changes, *Epsilon::parse(tried.epsilon));
  for (const double holding : {0.0, 0.5, 0.8}) {
    const Sums honest = steady_expected_sums(plan, holding);
    const std::vector<double> most = most_by_trying(plan, honest);
    const Influence influence = influence_on(plan, honest, plan.num_periods);
    for (Period t = 0; t < plan.num_periods; ++t) {
      EXPECT_NEAR(influence.most[t], most[t], 1e-9 * most[t]) << "period " << t + 1;
      EXPECT_GE(influence.most[t], most[t] * (1 - 1e-12)) << "period " << t + 1;
    }
  }
}

// What is said of pulses is a bound: one device more is counted as if all weights stayed the same.
TEST(Influence, OfPulsesIsThatOfTheWorstPattern) {
  for (const char* epsilon : {"1", "4"}) {
    const Plan plan = *make_plan(Protocol::kPulse, 7, 1, *Epsilon::parse(epsilon));
    for (const double holding : {0.0, 0.8}) {
      const Sums honest = steady_expected_sums(plan, holding);
      const std::vector<double> most = most_by_trying(plan, honest);
      const Influence influence = influence_on(plan, honest, plan.num_periods);
      for (Period t = 0; t < plan.num_periods; ++t) {
        EXPECT_LE(most[t], influence.most[t] * (1 + 1e-4)) << epsilon << " period " << t + 1;
        EXPECT_GE(most[t] + 1, influence.most[t] * 0.98) << epsilon << " period " << t + 1;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, EveryStrategy,
                         testing::Values(TriedPlan{Protocol::kInnovation, 8, 2, "1"},
                                         TriedPlan{Protocol::kInnovation, 6, 1, "8"},
                                         TriedPlan{Protocol::kHybrid, 8, 1, "1"},
                                         TriedPlan{Protocol::kHybrid, 8, 4, "1"},
                                         TriedPlan{Protocol::kHybrid, 7, 1, "4"},
                                         TriedPlan{Protocol::kHybrid, 8, 2, "6"},
                                         TriedPlan{Protocol::kOptimal, 8, 2, "1"},
                                         TriedPlan{Protocol::kSnapshot, 6, 2, "4"}));

// The fleets of the plan's bound are the worst of what people may hold.
TEST(Influence, OfOneIsTheWorstOverFleets) {
  for (const char* epsilon : {"1", "4"}) {
    for (const Protocol protocol : {Protocol::kHybrid, Protocol::kSnapshot, Protocol::kOptimal}) {
      const Plan plan = plan_for_liars(protocol, 32, epsilon);
      const Influence worst = influence_of_one(plan);
      for (const double holding : {0.01, 0.07, 0.19, 0.44, 0.69, 0.93}) {
        const Influence on = influence_on(plan, steady_expected_sums(plan, holding), 32);
        for (std::size_t t = 0; t < 32; ++t) {
          EXPECT_LE(on.most[t], worst.most[t] * 1.01) << epsilon << ' ' << holding << ' ' << t;
        }
      }
    }
  }
}

TEST(Influence, OnActiveDevicesIsThatOfTheirOwnReports) {
  const Plan plan = plan_for_liars(Protocol::kInnovation, 64);
  const std::vector<double> on_active = influence_on_active(*DeviceEstimate::of(plan, false), 64);
  const Influence influence = influence_of_one(plan);
  for (std::size_t t = 0; t < 64; ++t) {
    EXPECT_NEAR(on_active[t], influence.most[t], 1e-6 * on_active[t]);
  }
  const std::vector<double> capped = influence_on_active(*DeviceEstimate::of(plan, true), 64);
  // A device of any age up to then.
  const std::vector<double> most = contribution_cap(plan)->most;
  EXPECT_NEAR(capped.back(), *std::max_element(most.begin(), most.end()), 1e-6);
  EXPECT_LT(capped.back(), on_active.back());
}

// By how much a claim moves each period, by an estimate with its reports.
std::vector<double> moved_by(const Plan& plan, const Sums& honest, const Claim& claim) {
  const Schedule schedule(plan.views[claim.view], plan.num_periods);
  Sums sums = honest;
  sums.enrol(claim.view, claim.joined, claim.start);
  for (std::uint32_t index = schedule.first_index(claim.joined, claim.start);
       index <= schedule.num_indices; index += schedule.stride) {
    sums.add(claim.view, index, claim.minus ? -1 : 1, 1);
  }
  const auto before = estimate(plan, honest, EstimatorKind::kOnline, plan.num_periods);
  const auto after = estimate(plan, sums, EstimatorKind::kOnline, plan.num_periods);
  std::vector<double> moved;
  for (std::size_t t = 0; t < before.size(); ++t) {
    moved.push_back(after[t].estimate - before[t].estimate);
  }
  return moved;
}

// The influence by an estimate for each view (from one on), start, sign, and period of joining that
// may matter.
Influence by_an_estimate_for_each(const Plan& plan, const Sums& honest, std::uint32_t first = 0) {
  Influence influence(plan.num_periods);
  for (std::uint32_t v = first; v < plan.views.size(); ++v) {
    const Schedule schedule(plan.views[v], plan.num_periods);
    const std::uint32_t starts = schedule.draws_start() ? schedule.stride : 1;
    const double share = static_cast<double>(plan.views[v].weight) /
                         static_cast<double>(plan.total_weight()) / starts;
    for (std::uint32_t s = 1; s <= starts; ++s) {
      const std::uint32_t start = schedule.draws_start() ? s : 0;
      const Period late = schedule.due(schedule.first_index(1, start));
      for (const Claim& claim : {Claim{v, start, late, true}, Claim{v, start, late, false},
                                 Claim{v, start, 1, true}, Claim{v, start, 1, false}}) {
        const std::vector<double> moved = moved_by(plan, honest, claim);
        for (Period t = 1; t <= plan.num_periods; ++t) {
          influence.take(t, moved[t - 1], claim, schedule.kind);
        }
      }
      const std::vector<double> plus = moved_by(plan, honest, {v, start, 1, false});
      for (Period t = 0; t < plan.num_periods; ++t) {
        if (std::isfinite(plus[t])) influence.in_shares[t] += share * plus[t];
      }
    }
  }
  return influence;
}

// Devices of every view join when they like, and of what they owe any part comes in; in one index
// of eight nothing.
Sums ragged_fleet(const Plan& plan, std::uint64_t devices, std::mt19937_64& random) {
  Sums sums(plan);
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    const Schedule schedule(plan.views[v], plan.num_periods);
    for (Period t = 1 + static_cast<Period>(random() % 3); t <= plan.num_periods; ++t) {
      if (random() % 3 == 0) {
        sums.enrol(v, t, schedule.draws_start() ? schedule.start_of(1 + t) : 0, random() % devices);
      }
    }
    const std::vector<std::uint64_t> owed = sums.expected_reports(v);
    for (std::uint32_t j = 1; j <= owed.size(); ++j) {
      const std::uint64_t count = random() % 8 == 0 ? 0 : random() % (owed[j - 1] + 1);
      const std::uint64_t spoken = may_be_zero(plan.views[v].law) ? random() % (count + 1) : count;
      const std::uint64_t plus = random() % (spoken + 1);
      sums.add(
          v, j,
          {2 * static_cast<std::int64_t>(plus) - static_cast<std::int64_t>(spoken), count, spoken});
    }
  }
  return sums;
}

class EveryClaim : public testing::TestWithParam<TriedPlan> {};

void expect_same(const Plan& plan, const Sums& honest, const Influence& fast,
                 const Influence& slow) {
  const std::vector<std::uint64_t> enrolled = honest.enrolled_by_period();
  const auto near = [&](double a, double b, Period t) {  // except for rounding
    return std::abs(a - b) <= 1e-10 * std::abs(b) + 1e-13 * static_cast<double>(enrolled[t]);
  };
  for (Period t = 0; t < plan.num_periods; ++t) {
    EXPECT_PRED3(near, fast.most[t], slow.most[t], t);
    EXPECT_PRED3(near, fast.by_changes[t], slow.by_changes[t], t);
    EXPECT_PRED3(near, fast.in_shares[t], slow.in_shares[t], t);
  }
  // The claim that is named does it.
  for (Period t = 0; t < plan.num_periods; t += 1 + plan.num_periods / 16) {
    if (fast.most[t] == 0) continue;
    EXPECT_PRED3(near, std::abs(moved_by(plan, honest, fast.by[t])[t]), fast.most[t], t);
  }
}

void try_every_claim(const Plan& plan, const Sums& honest) {
  expect_same(plan, honest, influence_on(plan, honest, plan.num_periods),
              by_an_estimate_for_each(plan, honest));
  if (plan.protocol != Protocol::kHybrid) return;
  // Claims of the snapshot view are mostly the worst, but not before it is first reported.
  const auto view = static_cast<std::uint32_t>(plan.views.size() - 1);
  Influence of_snapshots(plan.num_periods);
  GridClaims claims(plan, view, honest);
  for (const std::uint64_t enrolled : honest.enrolled_by_period()) {
    claims.advance(enrolled, of_snapshots);
  }
  expect_same(plan, honest, of_snapshots, by_an_estimate_for_each(plan, honest, view));
}

TEST_P(EveryClaim, MovesAsMuchAsByAnEstimateOfItsOwn) {
  const TriedPlan& tried = GetParam();
  const Plan plan =
      *make_plan(tried.protocol, tried.periods, tried.changes, *Epsilon::parse(tried.epsilon));
  try_every_claim(plan, steady_expected_sums(plan, 0.3));
  std::mt19937_64 random(7);
  for (const std::uint64_t devices : {2U, 100U, 1'000'000U}) {
    try_every_claim(plan, ragged_fleet(plan, devices, random));
  }
  try_every_claim(plan, Sums(plan));  // nobody
}

INSTANTIATE_TEST_SUITE_P(
    Plans, EveryClaim,
    testing::Values(
        TriedPlan{Protocol::kHybrid, 100, 1, "1"}, TriedPlan{Protocol::kHybrid, 256, 4, "1"},
        TriedPlan{Protocol::kHybrid, 256, 4, "4"}, TriedPlan{Protocol::kHybrid, 150, 16, "4"},
        TriedPlan{Protocol::kHybrid, 256, 4, "8"}, TriedPlan{Protocol::kHybrid, 100, 64, "4"},
        TriedPlan{Protocol::kOptimal, 100, 4, "1"}, TriedPlan{Protocol::kFutureRand, 64, 2, "1"},
        TriedPlan{Protocol::kSnapshot, 50, 2, "1"}, TriedPlan{Protocol::kSnapshot, 50, 2, "8"},
        TriedPlan{Protocol::kRepeated, 50, 2, "4"}, TriedPlan{Protocol::kInnovation, 40, 2, "1"}));

// An interval whose reports are missing in part stands for all of them: missing is not zero.
TEST(DyadicSum, MissingReportsAreNotZero) {
  const Plan plan = plan_for_liars(Protocol::kOptimal, 8);
  const auto estimates_with = [&](std::int64_t sum, std::uint64_t count) {
    Sums sums(plan);
    for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
      sums.enrol(view, 1, 0, 100);
      for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
        sums.add(view, index, sum, count);
      }
    }
    return estimate(plan, sums, EstimatorKind::kOnline, 8);
  };
  const auto all = estimates_with(20, 100), half = estimates_with(10, 50),
             none = estimates_with(0, 0);
  for (std::size_t t = 0; t < 8; ++t) {
    EXPECT_DOUBLE_EQ(half[t].estimate, all[t].estimate);
    EXPECT_NEAR(half[t].stddev / all[t].stddev, std::sqrt(2.0), 1e-12);
    EXPECT_TRUE(std::isnan(none[t].estimate));
  }
}

// A live watcher sees period after period: the band of each is that of the whole horizon.
TEST(Bands, HoldOverTheHorizonAsPeriodsArrive) {
  const std::vector<PeriodEstimate> first = {{1, 0, 1}};
  std::vector<PeriodEstimate> all;
  for (Period t = 1; t <= 64; ++t) all.push_back({t, 0, 1});
  const double live = simultaneous_bands(first, 0.95, 64)[0].upper;
  EXPECT_EQ(live, simultaneous_bands(all, 0.95, 64)[0].upper);
  EXPECT_NEAR(std::pow(std::erf(live / std::sqrt(2.0)), 64), 0.95, 1e-9);
}

}  // namespace
}  // namespace futurerand
