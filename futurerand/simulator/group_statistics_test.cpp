// Answers of a metric of a group, over devices that draw it, real devices and the real estimator:
// the error of the design, and honest bands of shares and counts. Seeds are fixed.
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/plan/metric_group.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/core/randomizer/uniform.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/simulator/engines/run_churn.hpp"
#include "futurerand/simulator/season_protocol.hpp"

namespace futurerand {
namespace {

const MetricGroup kGroup = *MetricGroup::create("g", {{"asked", 1}, {"b", 2}, {"c", 1}});

struct Errors {
  double share_rmse = 0;  // times the root of the number of devices of the group
  double share_coverage = 0, count_coverage = 0;
  double devices_bias = 0;  // of the estimated number of devices, in its standard errors
};

struct Asked {
  Plan plan;
  std::string population = "uniform";
  std::uint64_t users = 1200;
  std::uint64_t trials = 800;
  std::uint64_t seed = 11;
};

Errors run(const Asked& asked) {
  const Plan& plan = asked.plan;
  const double share = kGroup.share_of("asked");
  const SimulationKey key = SimulationKey::from_seed(asked.seed);
  const Population population = *Population::named(
      asked.population, {asked.users, plan.num_periods, plan.max_changes, plan.initial}, key);
  const Workers workers(2);
  const std::vector<double> truth = true_shares(population, nullptr, workers);
  const CertifiedPlan certified = *CertifiedPlan::create(plan);
  const bool active = bool(shows_who_is_active(plan));
  const std::optional<Presence> presence = active ? empty_presence(plan, false) : std::nullopt;
  const auto users = static_cast<double>(asked.users);
  Errors errors;
  double squares = 0, figures = 0, devices = 0;
  for (std::uint64_t number = 0; number < asked.trials; ++number) {
    const Trial trial{key, number, Engine::kUsers, workers, nullptr, nullptr};
    const auto takes_part = [&](std::uint64_t user, Values&) -> std::optional<Participation> {
      PhiloxSource source(key, Stream::kLife, number, user);
      UniformBits bits(source);
      if (kGroup.at(bits.below(kGroup.total())).metric != "asked") return std::nullopt;
      return Participation{1, plan.num_periods};
    };
    const ChurnSums sums = *run_participants(certified, population, trial, presence, takes_part);
    Question question;
    question.influence = false;
    const Answer found = *answer(plan,
                                 {sums.simulated.sums, sums.presence ? &*sums.presence : nullptr,
                                  plan.num_periods + 1, share},
                                 question);
    for (const AnswerRow& row : found.rows) {
      const double held = truth[row.period - 1];
      const double error = row.share() - held / users;
      squares += error * error;
      const auto covers = [](const Band& band, double value) {
        return band.lower <= value && value <= band.upper ? 1.0 : 0.0;
      };
      errors.share_coverage += covers(row.share_band(), held / users);
      errors.count_coverage += covers(row.band, held);
      ++figures;
    }
    devices += static_cast<double>(found.devices);
  }
  errors.share_rmse = std::sqrt(squares / figures * users);
  errors.share_coverage /= figures;
  errors.count_coverage /= figures;
  const double devices_sd =
      std::sqrt(users * (1 - share) / share / static_cast<double>(asked.trials));
  errors.devices_bias = (devices / static_cast<double>(asked.trials) - users) / devices_sd;
  return errors;
}

// The error of the share times the root of the number of devices, over all periods. `held` is the
// share that holds 1, for the sampling of devices; without it, the error is that of all devices
// over the root of the share.
double predicted(const Plan& plan, std::optional<double> held = {}) {
  const double share = kGroup.share_of("asked");
  double noise = 0;
  for (const double variance : predicted_variances(plan)) noise += variance;
  noise /= plan.num_periods;
  return std::sqrt((noise + (held ? *held * (1 - *held) * (1 - share) : 0)) / share);
}

Plan innovation(const char* epsilon, Period periods = 24) {
  return *make_plan(Protocol::kInnovation, periods, 2, *Epsilon::parse(epsilon), Initial::kUnknown);
}

void expect_honest(const Errors& errors) {
  EXPECT_NEAR(errors.share_coverage, 0.95, 0.01);
  EXPECT_NEAR(errors.count_coverage, 0.95, 0.01);
  // A right draw fails this with a probability of 3e-7, for whatever seeds.
  EXPECT_LT(std::abs(errors.devices_bias), 5.1);
}

void expect_error(const Errors& errors, double expected) {
  EXPECT_NEAR(errors.share_rmse, expected, 0.03 * expected);
}

TEST(GroupStatistics, TheErrorIsThatOfAllDevicesOverTheRootOfTheShare) {
  for (const char* epsilon : {"1", "4"}) {
    expect_error(run({innovation(epsilon)}), predicted(innovation(epsilon)));
  }
  const Plan once = *make_plan(Protocol::kOnce, 24, 0, *Epsilon::parse("1"), Initial::kUnknown);
  expect_error(run({once, "static"}), predicted(once));
}

TEST(GroupStatistics, BandsHoldTheTruthOfTheGroup) {
  expect_honest(run({innovation("1")}));
  expect_honest(run({innovation("1"), "static"}));
}

// At a large epsilon noise is small. Values that stay are hardly in the variance of later reports:
// without the sampling of devices the bands would miss too often. With it they are somewhat wide.
TEST(GroupStatistics, BandsIncludeTheSamplingOfDevices) {
  const Plan plan = innovation("8", 64);
  const Errors errors = run({plan, "static", 300});
  expect_honest(errors);
  EXPECT_GT(errors.share_rmse, 1.01 * predicted(plan));
  EXPECT_LT(errors.share_rmse, predicted(plan, 0.3));
}

// At epsilon 4 one answer per device has little noise, so sampling dominates the error.
TEST(GroupStatistics, BandsOfOneAnswerIncludeItToo) {
  const Plan once = *make_plan(Protocol::kOnce, 2, 0, *Epsilon::parse("4"), Initial::kUnknown);
  expect_honest(run({once, "static", 1200, 6000}));
}

}  // namespace
}  // namespace futurerand
