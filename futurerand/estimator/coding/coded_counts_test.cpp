#include "futurerand/estimator/coding/coded_counts.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/core/coding/test/codings.hpp"
#include "futurerand/core/coding/variance_factor.hpp"

namespace futurerand {
namespace {

// Devices with these codes, rows drawn anew, and normal noise of variance `noise` on each device's
// own estimate.
CodedSums simulated_sums(const Coding& coding, const std::vector<std::uint32_t>& held, double noise,
                         std::mt19937_64& random) {
  std::normal_distribution<double> error(0, std::sqrt(noise));
  CodedSums sums{std::vector<double>(coding.num_codes()), 0, 0};
  for (const std::uint32_t code : held) {
    const CodingRow row = row_from_bits(coding, random());
    const double psi = Coding::state(row, code) + error(random);
    sums.rows[row] += 2 * psi - 1;
    sums.devices += 1;
    sums.variance += noise;
  }
  return sums;
}

// Mean and variance of errors, and how often they are inside the band.
struct ErrorTally {
  double sum = 0, squares = 0, predicted = 0;
  int inside = 0, trials = 0;

  void add(const Measurement& estimate, double truth) {
    const double error = estimate.value - truth;
    sum += error;
    squares += error * error;
    predicted += estimate.variance;
    const Band band = coded_bands({estimate}, 0.95)[0];
    inside += band.lower <= truth && truth <= band.upper ? 1 : 0;
    ++trials;
  }
  // With 20,000 trials the variance's relative error has sd 1%, the coverage's error 0.15%. Limits
  // are at five sd or more: a chance below 1e-6 for each check, 1e-4 for all checks of this file.
  void check(const std::string& what) const {
    const double measured = squares / trials;
    EXPECT_LT(std::abs(sum / trials), 5 * std::sqrt(measured / trials)) << what;
    EXPECT_NEAR(measured / (predicted / trials), 1, 0.06) << what;
    EXPECT_NEAR(static_cast<double>(inside) / trials, 0.95, 0.01) << what;
  }
};

constexpr int kCodedTrials = 20'000;

// With little noise the sampling of rows is half of the variance. Devices have more.
TEST(CodedCounts, AreUnbiasedWithTheirVariance) {
  const Coding coding = coding_of_labels(5);
  std::vector<std::uint32_t> held;
  for (std::uint32_t i = 0; i < 100; ++i) held.push_back(i < 60 ? 1 : i < 90 ? 4 : 2);
  const double truth[] = {0, 60, 10, 0, 30};
  std::mt19937_64 random(29);
  for (const double noise : {0.25, 4.0}) {
    ErrorTally tally[5];
    int all_inside = 0;
    for (int trial = 0; trial < kCodedTrials; ++trial) {
      const CodedSums sums = simulated_sums(coding, held, noise, random);
      const std::vector<Measurement> counts = estimate_counts(coding, sums);
      const std::vector<Band> bands = coded_bands(counts, 0.9, 5);
      bool inside = true;
      for (std::uint32_t v = 0; v < 5; ++v) {
        tally[v].add(counts[v], truth[v]);
        inside = inside && bands[v].lower <= truth[v] && truth[v] <= bands[v].upper;
      }
      all_inside += inside ? 1 : 0;
      const Measurement one = estimate_count(coding, sums, 4);
      ASSERT_NEAR(one.value, counts[4].value, 1e-9);
      ASSERT_NEAR(one.variance, counts[4].variance, 1e-9);
    }
    for (int v = 0; v < 5; ++v) tally[v].check("label " + std::to_string(v));
    // Independent errors would be inside with 0.904, and five sd are 1.1%.
    if (noise == 4.0) {
      EXPECT_NEAR(static_cast<double>(all_inside) / kCodedTrials, 0.904, 0.011);
    }
  }
}

TEST(CodedCounts, OfADistributionAreUnbiasedWithTheirVariance) {
  const Coding coding = coding_of_buckets(16, -8, 8);
  std::vector<std::uint32_t> held;
  for (std::uint32_t i = 0; i < 80; ++i) held.push_back(i % 7 + i % 3);
  double below_6 = 0, mean = 0;
  for (const std::uint32_t code : held) {
    below_6 += code < 6 ? 1 : 0;
    mean += (-7.5 + code) / 80;
  }
  std::mt19937_64 random(30);
  ErrorTally cumulative, middle;
  for (int trial = 0; trial < kCodedTrials; ++trial) {
    const CodedSums sums = simulated_sums(coding, held, 0.25, random);
    const std::vector<Measurement> below = estimate_cumulative(coding, sums);
    ASSERT_EQ(below.size(), 17U);
    cumulative.add(below[6], below_6);
    middle.add(estimate_mean(coding, sums), mean);
    ASSERT_EQ(below.front().variance + below.back().variance, 0);
    ASSERT_EQ(below.back().value, 80);
  }
  cumulative.check("below 6");
  middle.check("mean");
}

TEST(CodedCounts, OfANumberAreItsMeanInUnits) {
  const Coding coding = *Coding::create(NumberCoding{-10, 30, "C", 0});
  // Four devices with own estimates 0.5, 1, 0.25, 0.25: mean one half of the range.
  const CodedSums sums{{0, 0 + 1 - 0.5 - 0.5}, 4, 36};
  const Measurement mean = estimate_mean(coding, sums);
  EXPECT_DOUBLE_EQ(mean.value, 10);
  EXPECT_DOUBLE_EQ(mean.variance, 36.0 * 40 * 40 / 16);
  EXPECT_EQ(estimate_mean(coding, CodedSums{{0, 0}, 0, 0}).variance, kUndetermined);
}

// A yes/no count keeps the variance of the sum itself, and no sampling of rows.
TEST(CodedCounts, OfYesNoAreTheSumItself) {
  const CodedSums sums{{0, 2 * 2.5 - 7}, 7, 9};
  const std::vector<Measurement> counts = estimate_counts(Coding(), sums);
  EXPECT_DOUBLE_EQ(counts[1].value, 2.5);
  EXPECT_DOUBLE_EQ(counts[0].value, 4.5);
  EXPECT_DOUBLE_EQ(counts[1].variance, 9);
}

}  // namespace
}  // namespace futurerand
