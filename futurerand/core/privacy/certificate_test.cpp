#include "futurerand/core/privacy/certificate.hpp"

#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/annulus.hpp"
#include "futurerand/core/law/erlingsson.hpp"
#include "futurerand/core/law/future_rand.hpp"
#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/law/warner.hpp"

namespace futurerand {
namespace {

bool certified(const Law& law, Epsilon budget) {
  const Result<Certificate> certificate = certify(law, budget);
  return certificate && certificate->certified;
}

struct OracleRow {
  LawName law;
  std::uint32_t max_changes;
  Epsilon epsilon;
  double gap;
  double exact_epsilon;
};

std::vector<OracleRow> oracle_table() {
  std::vector<OracleRow> rows;
  std::ifstream file(FUTURERAND_SOURCE_DIR "/tests/data/laws.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "law,max_changes,epsilon,gap,exact_epsilon");
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string field[5];
    for (std::string& text : field) std::getline(fields, text, ',');
    rows.push_back({*law_named(field[0]), static_cast<std::uint32_t>(std::stoul(field[1])),
                    *Epsilon::parse(field[2]), std::stod(field[3]), std::stod(field[4])});
  }
  return rows;
}

TEST(Certificate, AgreesWithTheOracleTable) {
  const std::vector<OracleRow> rows = oracle_table();
  ASSERT_EQ(rows.size(), 190U);
  for (const OracleRow& row : rows) {
    const auto where = std::string(name_of(row.law)) + ", k " + std::to_string(row.max_changes) +
                       ", epsilon " + row.epsilon.text();
    const Result<Law> law = make_law(row.law, row.max_changes, row.epsilon);
    ASSERT_TRUE(law) << where;
    const Result<Certificate> certificate = certify(*law, row.epsilon);
    ASSERT_TRUE(certificate) << where;
    EXPECT_TRUE(certificate->certified) << where;
    EXPECT_NEAR(certificate->gap / row.gap, 1, 1e-12) << where;
    EXPECT_NEAR(certificate->exact_epsilon / row.exact_epsilon, 1, 1e-12) << where;
  }
}

TEST(Certificate, EveryLawIsPrivateOverItsWholeRange) {
  for (const LawName name : kLawNames) {
    const bool up_to_one = name == LawName::kBun || name == LawName::kFutureRand;
    for (const std::uint32_t k : {1U, 2U, 3U, 4U, 5U, 10U, 31U, 64U, 65U, 127U, 500U, 1009U}) {
      for (const char* text : {"0.000001", "0.000001001", "0.001", "0.1", "0.5", "0.999999999", "1",
                               "1.000000001", "4", "16"}) {
        if (up_to_one && epsilon(text).value() > 1) continue;
        const Result<Law> law = make_law(name, k, epsilon(text));
        ASSERT_TRUE(law) << name_of(name) << " " << k << " " << text;
        EXPECT_TRUE(certified(*law, epsilon(text))) << name_of(name) << " " << k << " " << text;
      }
    }
  }
}

TEST(Certificate, AnnulusLawsSpendNoMoreThanTheirProofsSay) {
  for (std::uint32_t k = 1; k <= 400; k += 1 + k / 4) {
    for (const char* text : {"0.000001", "1"}) {
      const auto share = [&](LawName name) {
        const Result<Certificate> certificate =
            certify(*make_law(name, k, epsilon(text)), epsilon(text));
        return certificate->exact_epsilon / epsilon(text).value();
      };
      EXPECT_LT(share(LawName::kFutureRand), 0.83) << k << " " << text;
      EXPECT_LT(share(LawName::kBun), 0.43) << k << " " << text;
    }
  }
}

TEST(Certificate, ForTheMostChangesEndsSoon) {
  for (const LawName name : kLawNames) {
    const bool up_to_one = name == LawName::kBun || name == LawName::kFutureRand;
    for (const char* text : {"0.000001", "1", up_to_one ? "1" : "16"}) {
      const auto start = std::chrono::steady_clock::now();
      const Result<Law> law = make_law(name, kMaxChanges, epsilon(text));
      ASSERT_TRUE(law) << name_of(name) << " " << text;
      EXPECT_TRUE(certified(*law, epsilon(text))) << name_of(name) << " " << text;
#ifdef NDEBUG
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      EXPECT_LT(seconds.count(), 30.0) << name_of(name) << " " << text;
#else
      static_cast<void>(start);
#endif
    }
  }
}

TEST(Certificate, ErlingssonSpendsHalfAndOthersOfTheirKindAll) {
  for (const std::uint32_t k : {1U, 4U, 100U}) {
    const auto spent = [&](LawName name) {
      return certify(*make_law(name, k, epsilon("1")), epsilon("1"))->exact_epsilon;
    };
    EXPECT_NEAR(spent(LawName::kErlingsson), 0.5, 1e-12);
    EXPECT_NEAR(spent(LawName::kWarner), 1, 1e-12);
    EXPECT_NEAR(spent(LawName::kOptimal), 1, 1e-12);
  }
}

TEST(Certificate, RefusesIntegersOutOfRangeOrWithoutSignal) {
  EXPECT_FALSE(certify(ThresholdLaw{4, 4, 5}, epsilon("1")));
  EXPECT_FALSE(certify(ProductLaw{4, 0}, epsilon("1")));
  const Result<Certificate> reversed = certify(ThresholdLaw{4, 1, 1}, epsilon("1"));
  ASSERT_FALSE(reversed);
  EXPECT_EQ(reversed.error().message, "the law carries no signal: its gap is not positive");
  // A fair coin, and the least that is not one.
  EXPECT_FALSE(certify(ThresholdLaw{1, 0, std::uint64_t{1} << 63}, epsilon("1")));
  EXPECT_TRUE(certify(ThresholdLaw{1, 0, (std::uint64_t{1} << 63) + 1}, epsilon("1")));
}

// The certificate must reject these laws with realistic faults.

TEST(BrokenLaw, ThresholdsRoundedTheWrongWayAreCaughtAtEveryBudget) {
  for (const std::uint32_t k : {1U, 2U, 4U, 33U, 1000U}) {
    for (const char* text : {"0.000001", "0.000001001", "0.01", "1", "16"}) {
      const Epsilon budget = epsilon(text);
      ThresholdLaw threshold = optimal(k, budget);
      EXPECT_TRUE(certified(threshold, budget)) << k << " " << text;
      ++threshold.low_side;
      EXPECT_FALSE(certified(threshold, budget)) << k << " " << text;

      ProductLaw product = warner(k, budget);
      EXPECT_TRUE(certified(product, budget)) << k << " " << text;
      --product.flip;
      EXPECT_FALSE(certified(product, budget)) << k << " " << text;
    }
  }
}

TEST(BrokenLaw, ErlingssonsFlipIsAsTightAgainstHalfTheBudget) {
  for (const std::uint32_t k : {1U, 4U, 1000U}) {
    SingleLaw single = erlingsson(k, epsilon("0.000002"));
    EXPECT_TRUE(certified(single, epsilon("0.000001"))) << k;
    --single.flip;
    EXPECT_FALSE(certified(single, epsilon("0.000001"))) << k;
  }
}

// The obvious program: thresholds in doubles. They have 53 bits and round to nearest.
TEST(BrokenLaw, ThresholdsMadeFromDoublesAreCaughtForTinyBudgets) {
  int caught = 0;
  for (std::int64_t nanos = 1'000; nanos < 1'100; ++nanos) {
    const Epsilon budget = *Epsilon::from_nanos(nanos);
    const double flip = 1 / (std::exp(budget.value()) + 1);
    const ProductLaw law{1, static_cast<std::uint64_t>(std::llround(std::ldexp(flip, 62))) << 2};
    if (!certified(law, budget)) ++caught;
  }
  EXPECT_GT(caught, 20);
}

TEST(BrokenLaw, AnEpsilonTildeTenTimesTooLargeIsCaught) {
  for (const std::uint32_t k : {1U, 4U, 64U, 1000U}) {
    const auto future_rand_with = [k](const LongFloat& basic) {
      const LongFloat ratio = exp(basic);
      return annulus(k, basic, k / (ratio + 1) - 2 * sqrt(LongFloat(k)),
                     k / basic * log(2 * ratio / (ratio + 1)));
    };
    const LongFloat basic = 1 / (5 * sqrt(LongFloat(k)));
    EXPECT_EQ(future_rand_with(basic), future_rand(k, epsilon("1"))) << k;
    EXPECT_FALSE(certified(future_rand_with(10 * basic), epsilon("1"))) << k;
  }
}

TEST(BrokenLaw, AnAnnulusOneCountTooWideToTheLeftCostsLoss) {
  // The law is not caught by luck of slack: the loss of future_rand grows with every count that is
  // kept.
  AnnulusLaw law = future_rand(100, epsilon("1"));
  const double loss = certify(law, epsilon("1"))->exact_epsilon;
  law.first_kept -= 1;
  EXPECT_GT(certify(law, epsilon("1"))->exact_epsilon, loss);
}

}  // namespace
}  // namespace futurerand
