#include "futurerand/core/coding/decode.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/core/coding/test/codings.hpp"
#include "futurerand/core/coding/variance_factor.hpp"

namespace futurerand {
namespace {

std::vector<Coding> codings() {
  std::vector<Coding> list = {Coding(), *Coding::create(NumberCoding{0, 1, "", 0}),
                              *Coding::create(TextCoding{8})};
  for (const std::size_t labels : {2U, 3U, 5U, 8U, 64U, 200U})
    list.push_back(coding_of_labels(labels));
  for (const std::uint32_t buckets : {8U, 16U, 64U, 256U})
    list.push_back(coding_of_buckets(buckets));
  return list;
}

// +1 if the device says yes.
double sign(CodingRow row, std::uint32_t code) { return 2.0 * Coding::state(row, code) - 1; }

TEST(WalshHadamard, IsItsDefinition) {
  for (const std::size_t size : {1U, 2U, 4U, 32U, 128U}) {
    std::vector<double> a(size);
    for (std::size_t i = 0; i < size; ++i) a[i] = std::sin(1.0 + static_cast<double>(i * i));
    std::vector<double> transformed = a;
    walsh_hadamard(transformed);
    for (std::uint32_t v = 0; v < size; ++v) {
      double sum = 0;
      for (std::uint32_t r = 0; r < size; ++r) sum += a[r] * (Coding::state(r, v) == 1 ? -1 : 1);
      EXPECT_NEAR(transformed[v], sum, 1e-12 * static_cast<double>(size));
    }
  }
}

// One device with `code`: over all rows with their chances, the mean of each decoded count is 1 for
// this code and 0 for every other one.
TEST(Decode, IsUnbiasedForEveryCode) {
  for (const Coding& coding : codings()) {
    const std::uint32_t codes = coding.num_codes();
    for (std::uint32_t code = 0; code<codes; code += codes> 64 ? 37 : 1) {
      std::vector<double> mean(codes);
      for (CodingRow row = 1; row <= coding.num_rows(); ++row) {
        std::vector<double> sums(codes);
        sums[row] = sign(row, code);
        decode_counts(coding, sums, 1);
        for (std::uint32_t v = 0; v < codes; ++v) {
          mean[v] += sums[v] / inverse_chance(coding, row);
        }
      }
      for (std::uint32_t v = 0; v < codes; ++v) {
        EXPECT_NEAR(mean[v], v == code ? 1 : 0, 1e-9) << name_of(coding.kind()) << " " << codes;
      }
    }
  }
}

TEST(Decode, OneCountIsThatOfAllCounts) {
  for (const Coding& coding : codings()) {
    std::vector<double> sums(coding.num_codes());
    for (CodingRow row = 1; row <= coding.num_rows(); ++row) sums[row] = std::cos(7.0 * row);
    std::vector<double> counts = sums;
    decode_counts(coding, counts, 12.5);
    double total = 0;
    for (std::uint32_t v = 0; v < coding.num_codes(); ++v) {
      EXPECT_NEAR(decode_count(coding, sums, 12.5, v), counts[v], 1e-9);
      total += counts[v];
    }
    EXPECT_NEAR(total, 12.5, 1e-9);
  }
}

TEST(Decode, YesNoAndNumberAreTheSumItself) {
  // Devices with own estimates 0.25, 3 and -1: their sum is 2.25.
  for (const Coding& coding : {Coding(), *Coding::create(NumberCoding{0, 1, "", 0})}) {
    std::array<double, 2> sums = {0, (2 * 0.25 - 1) + (2 * 3.0 - 1) + (2 * -1.0 - 1)};
    decode_counts(coding, sums, 3);
    EXPECT_NEAR(sums[1], 2.25, 1e-12);
    EXPECT_NEAR(sums[0], 0.75, 1e-12);
  }
}

// The count of a prefix from the masks of its own bits only.
TEST(Decode, PrefixCountsNeedOnlyTheirOwnLevels) {
  const Coding coding = coding_of_buckets(32);
  std::vector<double> sums(32);
  for (CodingRow row = 1; row < 32; ++row) sums[row] = std::sin(3.0 * row);
  std::vector<double> counts = sums;
  decode_counts(coding, counts, 40);
  const std::vector<double> below = cumulative_counts(counts);
  ASSERT_EQ(below.size(), 33U);
  EXPECT_EQ(below[0], 0);
  EXPECT_NEAR(below[32], 40, 1e-9);
  for (std::uint32_t level = 1; level <= 5; ++level) {
    const std::uint32_t block = 32U >> level;
    for (std::uint32_t prefix = 0; prefix < 1U << level; ++prefix) {
      double count = 40;
      for (CodingRow row = 1; row < 32; ++row) {
        if (level_of(coding, row) > level) continue;
        count += sign(row, prefix * block) * sums[row] * inverse_chance(coding, row);
      }
      EXPECT_NEAR(below[(prefix + 1) * block] - below[prefix * block], count / (1U << level), 1e-9);
    }
  }
}

// The factor from the definition: 4 times the sum over rows of chance * weight^2. The weight of a
// row is the effect of a sum of 1 in that row on the answer.
double factor_of(const Coding& coding, const std::vector<double>& answer) {
  double factor = 0;
  for (CodingRow row = 1; row <= coding.num_rows(); ++row) {
    std::vector<double> sums(coding.num_codes());
    sums[row] = 1;
    decode_counts(coding, sums, 0);
    double weight = 0;
    for (std::uint32_t v = 0; v < coding.num_codes(); ++v) weight += answer[v] * sums[v];
    factor += 4 * weight * weight / inverse_chance(coding, row);
  }
  return factor;
}

TEST(VarianceFactor, OfACountIsItsDefinition) {
  for (const Coding& coding : codings()) {
    for (const std::uint32_t code : {0U, 1U, coding.num_codes() - 1}) {
      std::vector<double> answer(coding.num_codes());
      answer[code] = 1;
      EXPECT_NEAR(count_factor(coding), factor_of(coding, answer), 1e-9 * count_factor(coding));
    }
  }
}

TEST(VarianceFactor, OfCumulativeCountsAndMeansIsItsDefinition) {
  for (const std::uint32_t buckets : {8U, 16U, 64U, 256U}) {
    const Coding coding = coding_of_buckets(buckets);
    std::vector<double> answer(buckets);
    double sum = 0;
    for (std::uint32_t threshold = 1; threshold < buckets; ++threshold) {
      answer[threshold - 1] = 1;
      const double factor = cumulative_factor(coding, threshold);
      sum += factor;
      if (buckets > 64 && threshold % 19 != 0) continue;
      EXPECT_NEAR(factor, factor_of(coding, answer), 1e-9) << buckets << " " << threshold;
    }
    EXPECT_NEAR(sum / (buckets - 1), mean_cumulative_factor(coding.bits()), 1e-9);
    EXPECT_NEAR(cumulative_factor(coding, 0), 0, 1e-12);
    EXPECT_NEAR(cumulative_factor(coding, buckets), 0, 1e-12);
    for (std::uint32_t v = 0; v < buckets; ++v) answer[v] = (v + 0.5) / buckets;
    EXPECT_NEAR(mean_factor(coding.bits()), factor_of(coding, answer), 1e-9);
  }
}

// Figures of an independent program, with 9.060 sqrt(n) as the error of a yes/no count.
TEST(VarianceFactor, GivesTheFiguresOfTheDesign) {
  EXPECT_NEAR(std::sqrt(count_factor(coding_of_labels(5))), 1.75, 1e-12);
  EXPECT_NEAR(9.060 * std::sqrt(count_factor(coding_of_labels(64))), 17.836, 2e-3);
  EXPECT_NEAR(9.060 * std::sqrt(count_factor(coding_of_labels(1000))), 18.102, 2e-3);
  const double rms[] = {2.04, 2.58, 3.68, 4.82}, worst[] = {2.33, 2.97, 4.32, 5.66};
  int i = 0;
  for (const std::uint32_t bits : {3U, 4U, 6U, 8U}) {
    const Coding coding = coding_of_buckets(1U << bits);
    EXPECT_NEAR(std::sqrt(mean_cumulative_factor(bits)), rms[i], 0.005);
    double most = 0;
    for (std::uint32_t k = 1; k < coding.num_codes(); ++k) {
      most = std::max(most, cumulative_factor(coding, k));
    }
    EXPECT_NEAR(std::sqrt(most), worst[i], 0.005);
    ++i;
  }
  EXPECT_NEAR(9.060 * std::sqrt(mean_factor(8)), 18.08, 0.01);
}

// The whole formula for the variance, sampling of rows included, from its definition: one device,
// all rows with their chances, and noise of variance v on its own estimate.
TEST(VarianceFactor, WithSamplingIsTheExactVariance) {
  constexpr double kNoise = 70;
  for (const Coding& coding : {coding_of_labels(5), coding_of_labels(64), coding_of_buckets(16)}) {
    const std::uint32_t codes = coding.num_codes(), held = 3;
    for (const std::uint32_t asked : {held, 1U}) {
      double second = 0, mean = 0;
      for (CodingRow row = 1; row <= coding.num_rows(); ++row) {
        std::vector<double> unit(codes);
        unit[row] = 1;
        const double weight = decode_count(coding, unit, 0, asked);
        const double at = 1.0 / codes + weight * sign(row, held);
        mean += at / inverse_chance(coding, row);
        second += (at * at + weight * weight * 4 * kNoise) / inverse_chance(coding, row);
      }
      const double a = asked == held ? 1 : 0;
      EXPECT_NEAR(mean, a, 1e-9);
      EXPECT_NEAR(count_factor(coding) * (kNoise + 0.25) - (a - 1.0 / codes) * (a - 1.0 / codes),
                  second - mean * mean, 1e-8);
    }
  }
}

// 50,000 devices with hashed ids and labels by a fixed pattern, without noise: only the sampling of
// rows is left. Each |z| passes 5 with a chance of 6e-7; 64 + 8 answers: below 5e-5 in all.
TEST(Decode, FindsCountsFromHashedRows) {
  for (const Coding& coding : {coding_of_labels(64), coding_of_labels(5)}) {
    constexpr std::uint32_t kDevices = 50'000;
    std::vector<double> sums(coding.num_codes()), truth(coding.num_codes());
    for (std::uint32_t i = 0; i < kDevices; ++i) {
      std::array<std::uint8_t, 16> id{};
      std::memcpy(id.data() + 4, &i, sizeof i);
      const auto labels = static_cast<std::uint32_t>(coding.labels().size());
      const std::uint32_t code = i % 3 == 0 ? 1 : i % labels;
      const CodingRow row = row_of(coding, id);
      sums[row] += sign(row, code);
      truth[code] += 1;
    }
    decode_counts(coding, sums, kDevices);
    const double codes = coding.num_codes();
    for (std::uint32_t v = 0; v < coding.num_codes(); ++v) {
      const double spread = truth[v] * (1 - 2 / codes) + kDevices / (codes * codes);
      const double variance = count_factor(coding) * kDevices / 4 - spread;
      EXPECT_LT(std::abs(sums[v] - truth[v]), 5 * std::sqrt(variance)) << v;
    }
  }
}

}  // namespace
}  // namespace futurerand
