#include "futurerand/estimator/presence/contribution_cap.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/plan/innovation_filter.hpp"
#include "futurerand/estimator/robustness/influence.hpp"
#include "futurerand/estimator/robustness/self_check.hpp"
#include "futurerand/estimator/robustness/silence.hpp"

namespace futurerand {
namespace {

// Every transcript of symbols that tell nothing, with its probability: how often one is counted as
// more than the limit, and by how much on average.
TEST(ContributionCap, IsPassedAsRarelyAsItSays) {
  for (const char* epsilon : {"1", "8"}) {
    const Period periods = 9;
    const Plan plan = *make_plan(Protocol::kInnovation, periods, 1, *Epsilon::parse(epsilon));
    const auto& law = std::get<WeightedThresholdLaw>(plan.views.front().law);
    const InnovationFilter filter(law);
    const std::vector<double> r = filter.response(periods);
    const double loud = std::ldexp(static_cast<double>(law.high_side), -64) /
                        std::ldexp(static_cast<double>(high_share(law).at_least), -63);
    constexpr double kRate = 0.05;
    const ContributionCap cap = *contribution_cap(plan, kRate);
    const double speaks = filter.least_square;
    double passed = 0, excess = 0;
    for (int transcript = 0; transcript < 19683; ++transcript) {
      double chance = 1, counted = 0;
      for (int t = 0, rest = transcript; t < 9; ++t, rest /= 3) {
        const int symbol = rest % 3 - 1;
        chance *= symbol == 0 ? 1 - speaks : speaks / 2;
        counted += r[static_cast<std::size_t>(8 - t)] * (symbol / filter.kappa + filter.alpha / 2);
      }
      const double beyond = counted - cap.most.back();
      if (beyond > 0) passed += chance;
      excess += chance * std::max(0.0, beyond);
    }
    EXPECT_LE(loud * passed, kRate) << epsilon;
    EXPECT_LE(loud * excess, cap.bias.back() * (1 + 1e-9)) << epsilon;
    EXPECT_GE(loud * excess, cap.bias.back() * 0.95 - 1e-3) << epsilon;
  }
}

TEST(ContributionCap, LowersWhatALiarCanDo) {
  const Plan plan = *make_plan(Protocol::kInnovation, 256, 4, *Epsilon::parse("4"));
  const ContributionCap cap = *contribution_cap(plan);
  const std::vector<double> most = influence_on_active(*DeviceEstimate::of(plan, false), 256);
  for (std::size_t t = 0; t < 256; ++t) {
    EXPECT_LE(cap.most[t], most[t] * (1 + 1e-9)) << t;
    EXPECT_GE(cap.most[t], 1) << t;  // an honest device that holds 1
  }
  EXPECT_LT(cap.most.back(), most.back() / 2.9);
  EXPECT_LT(cap.bias.back(), 0.0002);
  EXPECT_FALSE(contribution_cap(*make_plan(Protocol::kHybrid, 64, 4, *Epsilon::parse("1"))));
}

// Devices holding 0 throughout, with reports drawn from the law, beside adversaries without zero
// symbols.
TEST(Silence, TellsThoseWhoSpeakTooOften) {
  const Plan plan = *make_plan(Protocol::kInnovation, 256, 4, *Epsilon::parse("4"));
  const auto& law = std::get<WeightedThresholdLaw>(plan.views.front().law);
  ASSERT_TRUE(law.may_be_zero());
  const std::vector<LevelMoments> moments = moments_of(law);
  const auto reports_with = [&](std::uint64_t liars, double spoken_each) {
    Sums sums(plan);
    sums.enrol(0, 1, 0, 100'000 + liars);
    for (Period t = 1; t <= 256; ++t) {
      const auto spoken = static_cast<std::uint64_t>(100'000 * spoken_each) + liars;
      sums.add(0, t, {static_cast<std::int64_t>(liars), 100'000 + liars, spoken});
    }
    return sums;
  };
  const double settled = moments.back().square;
  EXPECT_EQ(spoken_too_often_by(plan, reports_with(0, settled), 256, kAlarmRateEach), 0U);
  EXPECT_EQ(spoken_too_often_by(plan, reports_with(50, settled), 256, kAlarmRateEach), 0U);
  const Sums lied = reports_with(1000, settled);
  const Period found = spoken_too_often_by(plan, lied, 256, kAlarmRateEach);
  EXPECT_GT(found, 0U);
  EXPECT_EQ(spoken_too_often_by(plan, lied, found - 1, kAlarmRateEach), 0U);
  EXPECT_EQ(check_enrolled(plan, lied, 256).text, kSilenceAlarmText);
  // Signs are never silent: there is nothing to be told.
  const Plan signs = *make_plan(Protocol::kInnovation, 256, 4, *Epsilon::parse("1"));
  EXPECT_EQ(spoken_too_often_by(signs, Sums(signs), 256, kAlarmRateEach), 0U);
}

// At the first report of a view: the mean of the symbol with the most nonzero draws, and the noise.
TEST(Silence, RaisesTheAlarmAtTheFirstReportTooMany) {
  constexpr double kRate = 0.001, kDevices = 50'000;
  for (const Plan& plan : {*make_plan(Protocol::kInnovation, 64, 1, *Epsilon::parse("4")),
                           *make_plan(Protocol::kHybrid, 64, 1, *Epsilon::parse("4"))}) {
    double looks = 0;
    for (const View& view : plan.views) looks += may_be_zero(view.law) ? view.num_indices(64) : 0;
    ASSERT_GT(looks, 0);
    double z = 0;  // a normal variable passes it with the rate of one look
    while (std::erfc(z / std::sqrt(2.0)) / 2 > kRate / looks) z += 1e-6;
    for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
      const Law& law = plan.views[v].law;
      if (!may_be_zero(law)) continue;
      const double null = static_cast<double>(nonzero_units(law)) / SparseLaw::kUnits;
      double loudest = null;
      if (const auto* innovation = std::get_if<WeightedThresholdLaw>(&law)) {
        for (const LevelMoments& moment : moments_of(*innovation))
          loudest = std::max(loudest, moment.square);
      } else {
        loudest = std::max(loudest, mean_square(law, 1));
      }
      const double limit =
          kDevices * loudest + z * std::sqrt(std::exp(4.0) * kDevices * null) + z * z;
      for (const std::uint64_t more : {0U, 1U}) {
        Sums sums(plan);
        const Schedule schedule(plan.views[v], 64);
        sums.enrol(v, 1, schedule.draws_start() ? 1 : 0, 50'000);
        sums.add(v, 1, {0, 50'000, static_cast<std::uint64_t>(limit) + more});
        EXPECT_EQ(spoken_too_often_by(plan, sums, 64, kRate), more * schedule.due(1)) << v;
      }
    }
  }
}

// Each sign of the noise is used once at most: a device that changes as often as it may, whenever,
// does not speak more often than the test lets it. The loudest history uses all signs at once.
TEST(Silence, LetsEveryHonestHistorySpeak) {
  for (const char* epsilon : {"4", "6"}) {
    const Plan plan = *make_plan(Protocol::kInnovation, 64, 1, *Epsilon::parse(epsilon));
    const auto& law = std::get<WeightedThresholdLaw>(plan.views.front().law);
    if (!law.may_be_zero()) continue;
    const std::vector<LevelMoments> moments = moments_of(law);
    Sums sums(plan);
    sums.enrol(0, 1, 0, 1'000'000);
    Period t = 0;
    for (std::size_t l = 0; l < moments.size(); ++l) {
      for (std::uint32_t i = 0; i < law.levels[l].count; ++i) {
        sums.add(0, ++t, {0, 1'000'000, static_cast<std::uint64_t>(1e6 * moments[l].square)});
      }
    }
    ASSERT_EQ(t, 64U);
    EXPECT_EQ(spoken_too_often_by(plan, sums, 64, kAlarmRateEach), 0U) << epsilon;
  }
}

}  // namespace
}  // namespace futurerand
