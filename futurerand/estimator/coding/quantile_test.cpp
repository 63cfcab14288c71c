#include "futurerand/estimator/coding/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/core/coding/test/codings.hpp"
#include "futurerand/core/coding/variance_factor.hpp"
#include "futurerand/estimator/normal_quantile.hpp"

namespace futurerand {
namespace {

// The least-squares fit by its min-max formula. Each value is the largest over starts of the least
// over ends of the mean from start to end.
std::vector<double> monotone_by_definition(const std::vector<double>& values) {
  std::vector<double> rising;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double most = -INFINITY;
    for (std::size_t from = 0; from <= i; ++from) {
      double least = INFINITY;
      for (std::size_t to = i; to < values.size(); ++to) {
        double sum = 0;
        for (std::size_t j = from; j <= to; ++j) sum += values[j];
        least = std::min(least, sum / static_cast<double>(to - from + 1));
      }
      most = std::max(most, least);
    }
    rising.push_back(most);
  }
  return rising;
}

TEST(Monotone, IsTheLeastSquaresFit) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 2);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> values;
    for (int i = 0; i < 1 + trial % 17; ++i) values.push_back(0.3 * i + noise(random));
    const std::vector<double> rising = monotone(values, -1e9, 1e9);
    const std::vector<double> expected = monotone_by_definition(values);
    ASSERT_EQ(rising.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(rising[i], expected[i], 1e-12);
    const std::vector<double> clipped = monotone(values, 0, 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(clipped[i], std::clamp(expected[i], 0.0, 2.0), 1e-12);
    }
  }
  EXPECT_TRUE(monotone({}, 0, 1).empty());
}

// Cumulative counts of 1,000 devices with this share in each bucket.
std::vector<Measurement> cumulative_of(const std::vector<double>& shares) {
  std::vector<Measurement> cumulative = {{0, 0}};
  for (const double share : shares)
    cumulative.push_back({cumulative.back().value + 1000 * share, 0});
  return cumulative;
}

TEST(Quantile, OfAnExactCurveIsExact) {
  const Coding coding = coding_of_buckets(8, 10, 18);
  const auto cumulative = cumulative_of({0, 0.25, 0.25, 0, 0.5, 0, 0, 0});
  for (const auto& [share, value] :
       {std::pair{0.125, 11.5}, {0.25, 12.0}, {0.4, 12.6}, {0.75, 14.5}, {0.999, 14.998}}) {
    const QuantileEstimate at = estimate_quantile(coding, cumulative, share, 0.95);
    EXPECT_NEAR(at.value, value, 1e-9);
    EXPECT_NEAR(at.band.lower, value, 1e-9);
    EXPECT_NEAR(at.band.upper, value, 1e-9);
  }
  // The median may be anything from 13 to 14: nobody is between.
  const QuantileEstimate median = estimate_quantile(coding, cumulative, 0.5, 0.95);
  EXPECT_NEAR(median.band.lower, 13, 1e-9);
  EXPECT_NEAR(median.band.upper, 14, 1e-9);
}

struct NoisyCurve {
  std::vector<Measurement> truth, seen;
};

NoisyCurve noisy_curve(const Coding& coding, double sd, std::mt19937_64& random) {
  std::vector<double> shares;
  double total = 0;
  for (std::uint32_t v = 0; v < coding.num_codes(); ++v) {
    shares.push_back(std::exp(-0.5 * std::pow((v - 0.4 * coding.num_codes()) / 6.0, 2)));
    total += shares.back();
  }
  for (double& share : shares) share /= total;
  NoisyCurve curve{cumulative_of(shares), {}};
  curve.seen = curve.truth;
  std::normal_distribution<double> noise(0, sd);
  for (std::uint32_t k = 1; k < coding.num_codes(); ++k) {
    curve.seen[k].variance = cumulative_factor(coding, k) * sd * sd;
    curve.seen[k].value += noise(random) * std::sqrt(cumulative_factor(coding, k));
  }
  return curve;
}

TEST(Quantile, BandIsTheSetOfSharesNotRejected) {
  const Coding coding = coding_of_buckets(32);
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 50; ++trial) {
    const NoisyCurve curve = noisy_curve(coding, 12, random);
    const double share = 0.05 + 0.9 * trial / 50, z = two_sided_quantile(0.1);
    const QuantileEstimate at = estimate_quantile(coding, curve.seen, share, 0.9);
    double first = 2, last = -1;
    constexpr int kSteps = 100;
    for (int i = 0; i <= 32 * kSteps; ++i) {
      const int k = std::min(i / kSteps, 31);
      const double part = static_cast<double>(i - k * kSteps) / kSteps;
      const auto& from = curve.seen[static_cast<std::size_t>(k)];
      const auto& to = curve.seen[static_cast<std::size_t>(k) + 1];
      const double count = (1 - part) * from.value + part * to.value;
      const double sd = (1 - part) * std::sqrt(from.variance) + part * std::sqrt(to.variance);
      if (std::abs(count - 1000 * share) > z * sd) continue;
      const double place = i / (32.0 * kSteps);
      first = std::min(first, place);
      last = std::max(last, place);
    }
    EXPECT_NEAR(at.band.lower, first, 1.01 / (32 * kSteps));
    EXPECT_NEAR(at.band.upper, last, 1.01 / (32 * kSteps));
  }
}

// The band misses with a chance of at most 10%; 4,000 trials: 0.0047 is one sd, five are 2.4%.
TEST(Quantile, BandCoversTheTruth) {
  const Coding coding = coding_of_buckets(32);
  std::mt19937_64 random(9);
  for (const double share : {0.25, 0.5, 0.9}) {
    int inside = 0;
    constexpr int kTrials = 4'000;
    for (int trial = 0; trial < kTrials; ++trial) {
      const NoisyCurve curve = noisy_curve(coding, 10, random);
      const double truth = estimate_quantile(coding, curve.truth, share, 0.9).value;
      const Band band = estimate_quantile(coding, curve.seen, share, 0.9).band;
      inside += band.lower <= truth && truth <= band.upper ? 1 : 0;
    }
    EXPECT_GT(static_cast<double>(inside) / kTrials, 0.9 - 0.024) << share;
  }
}

}  // namespace
}  // namespace futurerand
