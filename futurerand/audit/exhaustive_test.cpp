#include "futurerand/audit/exhaustive.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/law/sparse.hpp"
#include "futurerand/core/privacy/certificate.hpp"

namespace futurerand {

void PrintTo(LawName law, std::ostream* out) { *out << name_of(law); }

namespace {

// The whole range runs only if it takes seconds: debug and sanitizer builds stop earlier.
#ifdef NDEBUG
constexpr std::uint32_t kLongest = 8;
#else
constexpr std::uint32_t kLongest = 4;
#endif

class ExhaustivePrivacy : public ::testing::TestWithParam<LawName> {
 protected:
  static void expect_private(Epsilon budget, std::uint32_t longest) {
    for (std::uint32_t k = 1; k <= 4; ++k) {
      const Result<Law> law = make_law(GetParam(), k, budget);
      ASSERT_TRUE(law);
      const Result<Certificate> certificate = certify(*law, budget);
      ASSERT_TRUE(certificate && certificate->certified);
      for (std::uint32_t length = 1; length <= longest; ++length) {
        const auto where = "L " + std::to_string(length) + ", k " + std::to_string(k) +
                           ", epsilon " + budget.text();
        const Result<ExhaustiveAudit> audit = audit_exhaustively(*law, length, budget);
        ASSERT_TRUE(audit) << where;
        EXPECT_TRUE(audit->property_one) << where;
        EXPECT_TRUE(audit->property_two) << where;
        EXPECT_TRUE(audit->property_three) << where;
        EXPECT_TRUE(audit->ratio_bounded) << where;
        // Both are doubles, each within a few units of its last place of the exact logarithm.
        const double share = audit->exact_epsilon / certificate->exact_epsilon;
        EXPECT_LE(share, 1 + 1e-14) << where;
        if (length >= k) {
          EXPECT_NEAR(share, 1, 1e-14) << where;
        }
      }
    }
  }
};

TEST_P(ExhaustivePrivacy, OfAllSequencesAtBudgetOne) { expect_private(epsilon("1"), kLongest); }

TEST_P(ExhaustivePrivacy, AtTheSmallestBudget) { expect_private(epsilon("0.000001"), 5); }

TEST_P(ExhaustivePrivacy, AtTheLargestBudget) {
  const bool up_to_one = GetParam() == LawName::kBun || GetParam() == LawName::kFutureRand;
  expect_private(epsilon(up_to_one ? "1" : "16"), 5);
}

INSTANTIATE_TEST_SUITE_P(Laws, ExhaustivePrivacy, ::testing::ValuesIn(kLawNames),
                         [](const auto& law) { return std::string(name_of(law.param)); });

TEST(ExhaustivePrivacyOfQuietLaws, OfAllSequencesOfSymbols) {
  for (const char* text : {"0.5", "1", "2", "4", "16"}) {
    for (std::uint32_t k = 1; k <= 3; ++k) {
      const Law law = quiet(k, epsilon(text), 0.01);
      const Result<Certificate> certificate = certify(law, epsilon(text));
      ASSERT_TRUE(certificate && certificate->certified);
      for (std::uint32_t length = 1; length <= 4; ++length) {
        const Result<ExhaustiveAudit> audit = audit_exhaustively(law, length, epsilon(text));
        ASSERT_TRUE(audit);
        EXPECT_TRUE(audit->passed()) << text << " " << k << " " << length;
        const double share = audit->exact_epsilon / certificate->exact_epsilon;
        EXPECT_LE(share, 1 + 1e-14);
        if (length >= k) {
          EXPECT_NEAR(share, 1, 1e-14);
        }
      }
    }
  }
}

TEST(ExhaustivePrivacyOfQuietLaws, CatchesOneMoreInTheThreshold) {
  SparseLaw law = quiet(2, epsilon("2"), 0.01);
  ++law.high_side;
  EXPECT_FALSE(certify(law, epsilon("2"))->certified);
  EXPECT_FALSE(audit_exhaustively(law, 2, epsilon("2"))->ratio_bounded);
}

TEST(ExhaustiveAudit, CountsWhatItRan) {
  const Result<ExhaustiveAudit> audit =
      audit_exhaustively(*make_law(LawName::kOptimal, 2, epsilon("1")), 3, epsilon("1"));
  ASSERT_TRUE(audit);
  EXPECT_EQ(audit->num_inputs, 27U);
  EXPECT_EQ(audit->num_outputs, 8U);
}

TEST(ExhaustiveAudit, RefusesWhatWouldTakeTooLong) {
  const Law law = *make_law(LawName::kOptimal, 4, epsilon("1"));
  for (const std::uint32_t length : {0U, 12U, 27U, 64U, ~0U}) {
    const Result<ExhaustiveAudit> audit = audit_exhaustively(law, length, epsilon("1"));
    ASSERT_FALSE(audit) << length;
    EXPECT_NE(audit.error().message.find("expected"), std::string::npos);
  }
  EXPECT_FALSE(
      audit_exhaustively(*make_law(LawName::kWarner, 4096, epsilon("1")), 4, epsilon("1")));
  EXPECT_FALSE(audit_exhaustively(ThresholdLaw{4, 4, 1}, 4, epsilon("1")));
}

}  // namespace
}  // namespace futurerand
