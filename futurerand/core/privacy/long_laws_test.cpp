// Certificates of long laws, against scores added up here in floating point. All weights are equal,
// so the table is small. The errors of both are far below the margin, a millionth. One score more
// or less on the high side would change it by a percent or more.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/privacy/certificate.hpp"

namespace futurerand {
namespace {

// The probability of a sum of at least `least` over `count` symbols, each +1 and -1 with
// probability `one` and 0 otherwise.
long double share_at_least(std::uint32_t count, long double one, int least) {
  std::vector<long double> chance(2 * count + 1, 0.0L);
  chance[count] = 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<long double> next(chance.size(), 0.0L);
    for (std::uint32_t s = count - i; s <= count + i; ++s) {
      next[s - 1] += one * chance[s];
      next[s] += (1 - 2 * one) * chance[s];
      next[s + 1] += one * chance[s];
    }
    chance.swap(next);
  }
  long double sum = 0;
  for (int s = least; s <= static_cast<int>(count); ++s) {
    sum += chance[static_cast<std::size_t>(s + static_cast<int>(count))];
  }
  return sum;
}

// The largest high side within epsilon 1, times 1 + `margin`, as an integer over 2^64.
std::uint64_t high_side(long double share, long double margin) {
  const long double e = std::exp(1.0L);
  return static_cast<std::uint64_t>(
      std::ldexp((1 + margin) * e * share / ((e - 1) * share + 1), 64));
}

bool is_certified(const Law& law) {
  const Result<Certificate> certificate = certify(law, *Epsilon::parse("1"));
  EXPECT_TRUE(certificate) << certificate.error().message;
  return certificate && certificate->certified;
}

TEST(LongLaws, AreCertifiedToTheScoreWhateverTheirLength) {
  for (const std::uint32_t count : {300U, 1100U, 1999U, 2001U, 2048U, 2100U, 3000U, 4096U}) {
    // Sums of `count` signs have its parity.
    int theta = static_cast<int>(std::sqrt(count));
    theta += (theta + static_cast<int>(count)) % 2;
    const long double share = share_at_least(count, 0.5L, theta);
    const auto law = [&](long double margin) {
      return WeightedThresholdLaw{count,
                                  {{1, 1, 2}, {count - 1, 1, 1}},
                                  static_cast<std::uint32_t>(theta),
                                  high_side(share, margin)};
    };
    EXPECT_TRUE(is_certified(law(-1e-6L))) << count;
    EXPECT_FALSE(is_certified(law(+1e-6L))) << count;
  }
}

TEST(LongLaws, OfSparseInnovationAreCertifiedToTheScoreToo) {
  for (const std::uint32_t count : {63U, 64U, 65U, 100U, 128U, 300U, 1100U, 2100U}) {
    for (const std::uint32_t rarity : {2U, 5U}) {
      const long double one = std::ldexp(0.5L, -static_cast<int>(rarity));
      const auto theta = static_cast<int>(std::sqrt(2 * one * count)) + 1;
      const long double share = share_at_least(count, one, theta);
      const auto law = [&](long double margin) {
        return WeightedThresholdLaw{count,
                                    {{1, 1, 2}, {count - 1, 1, 1}},
                                    static_cast<std::uint32_t>(theta),
                                    high_side(share, margin),
                                    SparseLaw::kUnits >> rarity};
      };
      EXPECT_TRUE(is_certified(law(-1e-6L))) << count << ", rarity " << rarity;
      EXPECT_FALSE(is_certified(law(+1e-6L))) << count << ", rarity " << rarity;
    }
  }
}

TEST(LongLaws, OfSparseChangesAreCertifiedToTheScoreToo) {
  for (std::uint32_t count = 1; count <= SparseLaw::kMaxSigns; count += count < 60 ? 13 : 1) {
    for (const std::uint32_t nonzero : {1U << 14, 1U << 12}) {
      const long double one = std::ldexp(static_cast<long double>(nonzero), -17);
      const auto tau = static_cast<std::uint32_t>(std::sqrt(2 * one * count));
      if (tau >= count) continue;
      const long double share = share_at_least(count, one, static_cast<int>(tau) + 1);
      const auto law = [&](long double margin) {
        return SparseLaw{count, nonzero, tau, high_side(share, margin)};
      };
      EXPECT_TRUE(is_certified(law(-1e-12L))) << count;
      EXPECT_FALSE(is_certified(law(+1e-12L))) << count;
    }
  }
}

}  // namespace
}  // namespace futurerand
