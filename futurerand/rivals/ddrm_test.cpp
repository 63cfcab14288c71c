// The oracles are enumeration of the definition and figures of an independent program.
#include "futurerand/rivals/ddrm.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand::ddrm {
namespace {

ProtocolSettings with_reports(ProtocolSettings settings, double reports) {
  settings.constants.set({"ddrm-reports", "", "", {}}, reports);
  return settings;
}

// Returns the probability of these signs, given the public coins, for values x_1.. as bits.
double probability(std::uint32_t values, std::uint32_t roots, std::uint32_t signs, Period periods,
                   std::uint32_t reports, double epsilon) {
  const auto value = [&](Period t) {
    return t == 0 ? 0 : static_cast<int>(values >> (t - 1) & 1U);
  };
  const double kept = 1 / (1 + std::exp(-epsilon / reports));
  std::uint32_t used = 0;
  double product = 1;
  for (Period t = 1; t <= periods; ++t) {
    Period low_bit = 1;
    while (t % (2 * low_bit) == 0) low_bit *= 2;
    const bool is_root = t % 2 == 0 && (roots >> (t / 2 - 1) & 1U);
    const int change = value(t) - value(is_root ? t - low_bit : t - 1);
    const bool plus = signs >> (t - 1) & 1U;
    if (change == 0 || used == reports) {
      product /= 2;
    } else {
      ++used;
      product *= plus == (change > 0) ? kept : 1 - kept;
    }
  }
  return product;
}

class DdrmLoss : public testing::TestWithParam<std::uint32_t> {};

TEST_P(DdrmLoss, IsEpsilonOverEveryPairOfInputs) {
  constexpr Period kPeriods = 6;
  const std::uint32_t reports = GetParam();
  double largest = 0;
  for (std::uint32_t roots = 0; roots < 8; ++roots) {
    for (std::uint32_t signs = 0; signs < 1U << kPeriods; ++signs) {
      double low = INFINITY, high = 0;
      for (std::uint32_t values = 0; values < 1U << kPeriods; ++values) {
        const double p = probability(values, roots, signs, kPeriods, reports, 1.5);
        low = std::min(low, p);
        high = std::max(high, p);
      }
      largest = std::max(largest, std::log(high / low));
    }
  }
  EXPECT_NEAR(largest, 1.5, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Reports, DdrmLoss, testing::Values(1, 2, 3));

TEST(DdrmClient, HasTheLawOfTheDefinition) {
  constexpr Period kPeriods = 4;
  constexpr int kRuns = 100'000;
  const ProtocolSettings settings = with_reports({10, kPeriods, 2, *Epsilon::parse("1.5")}, 2);
  const ClientRun client = *(*make_simulated_protocol("ddrm", settings))->client();
  // 0, 1, 0, 0: at most one of its three or four non-zero differences is hidden.
  const Flips flips = {2, 3};
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> seen;
  ClientTranscript sent;
  for (int run = 0; run < kRuns; ++run) {
    PhiloxSource source(SimulationKey::from_seed(4), Stream::kDevice, 0,
                        static_cast<std::uint64_t>(run));
    ASSERT_TRUE(client(flips, source, sent));
    ASSERT_EQ(sent.length(), 6U);  // sign, coin, sign, sign, coin, sign
    const std::uint32_t roots = sent.bit(1) + 2U * sent.bit(4);
    const std::uint32_t signs =
        sent.bit(0) + 2U * sent.bit(2) + 4U * sent.bit(3) + 8U * sent.bit(5);
    seen[{roots, signs}] += 1;
  }
  double chi_square = 0;
  for (std::uint32_t roots = 0; roots < 4; ++roots) {
    for (std::uint32_t signs = 0; signs < 16; ++signs) {
      const double expected = kRuns * probability(0b0010, roots, signs, kPeriods, 2, 1.5) / 4;
      chi_square += std::pow(seen[{roots, signs}] - expected, 2) / expected;
    }
  }
  EXPECT_LT(chi_square, 131);  // 63 degrees of freedom: missed less than once in 10^6
}

TEST(DdrmDifferences, AreThoseThatContainTheChange) {
  for (Period change = 1; change <= 13; ++change) {
    std::vector<Period> found;
    for_each_difference_with(change, 13, [&](Period t) { found.push_back(t); });
    std::vector<Period> expected;
    for (Period t = 1; t <= 13; ++t) {
      Period low_bit = 1;
      while (t % (2 * low_bit) == 0) low_bit *= 2;
      if (t - low_bit < change && change <= t) expected.push_back(t);
    }
    EXPECT_EQ(found, expected);
  }
}

// The root mean square over periods of the noise, for one user and reports of variance 1.
TEST(DdrmFilter, IsThatOfAnIndependentProgram) {
  const auto root_mean = [](Period periods) {
    Filter filter(1);
    double sum = 0;
    for (Period t = 1; t <= periods; ++t) {
      const double count = t % 2 == 1 ? 1 : 0.5;
      filter.step(t, {0, count}, {0, count});
      sum += filter.variance();
    }
    return std::sqrt(sum / periods);
  };
  EXPECT_NEAR(root_mean(16), 1.62, 0.01);
  EXPECT_NEAR(root_mean(64), 2.09, 0.01);
  EXPECT_NEAR(root_mean(256), 2.61, 0.01);
}

SimulationResult run(const ProtocolSettings& settings, std::uint64_t trials) {
  SimulationSettings simulation;
  simulation.key = SimulationKey::from_seed(6);
  simulation.trials = trials;
  simulation.threads = 2;
  const Population population = *Population::named(
      "uniform", {settings.num_users, settings.num_periods, settings.max_changes}, simulation.key);
  const auto protocol = make_simulated_protocol("ddrm", settings);
  return *simulate(**protocol, population, true_counts(population, Workers(1)), simulation);
}

TEST(DdrmSimulated, ErrsAsItStatesWithinItsReports) {
  // Two changes are in at most 2 (1 + 4) differences.
  const SimulationResult result = run(with_reports({2000, 16, 2, *Epsilon::parse("2")}, 10), 1000);
  EXPECT_EQ(result.clipping_bias.value(), 0);
  EXPECT_NEAR(result.rmse / *result.predicted_rmse, 1, 0.05);
  // One in 16 normal biases is beyond 5 standard errors with probability 1e-5.
  for (const SimulatedPeriod& at : result.periods) EXPECT_LT(std::abs(at.bias_z), 5) << at.period;
}

TEST(DdrmSimulated, IsBiasedAsItExpectsBeyondItsReports) {
  const ProtocolSettings settings = with_reports({10'000, 64, 4, *Epsilon::parse("4")}, 3);
  const SimulationResult result = run(settings, 60);
  EXPECT_FALSE(result.predicted_rmse);
  EXPECT_GT(*result.clipping_bias, 250);
  EXPECT_GT(result.clipped_users, 500);
  for (const SimulatedPeriod& at : result.periods) {
    // The noise of 60 trials, and of the users' chosen differences.
    EXPECT_NEAR(at.bias, result.expected_bias[at.period - 1], 0.02 * 10'000) << at.period;
  }
}

TEST(DdrmReports, AreBetterThanOthers) {
  const ProtocolSettings settings{50'000, 64, 4, *Epsilon::parse("1")};
  const double chosen = run(settings, 3).rmse;
  EXPECT_LT(chosen, run(with_reports(settings, 1), 3).rmse);
  EXPECT_LT(chosen, run(with_reports(settings, 28), 3).rmse);
}

TEST(DdrmReports, OutOfRangeAreRefused) {
  const ProtocolSettings settings{10, 8, 1, *Epsilon::parse("1")};
  EXPECT_FALSE(make_simulated_protocol("ddrm", with_reports(settings, 0)));
  EXPECT_FALSE(make_simulated_protocol("ddrm", with_reports(settings, 17)));
}

}  // namespace
}  // namespace futurerand::ddrm
