#include "futurerand/core/plan/plan.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/epsilon.hpp"
#include "futurerand/core/law/future_rand.hpp"
#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/core/plan/test/changes_for.hpp"

namespace futurerand {
namespace {

TEST(Plan, EveryProtocolIsValidAndCertifiedForEveryHorizon) {
  for (const Protocol protocol : kProtocols) {
    for (const Period periods : {1U, 2U, 3U, 7U, 64U, 100U, 1000U}) {
      for (const std::uint32_t changes : {1U, 4U, 33U}) {
        for (const char* text : {"0.000001", "0.5", "1"}) {
          if (protocol == Protocol::kPulse && (changes > 1 || periods < 2)) continue;
          const Result<Plan> plan = make_plan(protocol, periods, changes_for(protocol, changes),
                                              epsilon(text), initial_for(protocol));
          if (protocol == Protocol::kInnovation && changes >= periods) continue;
          ASSERT_TRUE(plan) << plan.error().message;
          EXPECT_TRUE(validate(*plan)) << name_of(protocol) << " " << periods;
          const Result<PlanCertificate> certificate = certify(*plan);
          ASSERT_TRUE(certificate);
          EXPECT_TRUE(certificate->certified());
          EXPECT_LE(certificate->exact_epsilon(), plan->epsilon.value() * (1 + 1e-12));
        }
      }
    }
  }
}

TEST(Plan, OnceServesFactsThatNeverChange) {
  for (const Period periods : {1U, 2U, 256U, kMaxPeriods}) {
    const Plan plan = *make_plan(Protocol::kOnce, periods, 0, epsilon("1"), Initial::kUnknown);
    EXPECT_NEAR(predict_error(plan, 1).rmse, 0.5 / std::tanh(0.5), 1e-9);
    EXPECT_NEAR(certify(plan)->exact_epsilon(), 1, 1e-9);
  }
  const auto says = [](std::uint32_t changes, Initial initial) {
    return make_plan(Protocol::kOnce, 8, changes, epsilon("1"), initial).error().message;
  };
  EXPECT_NE(says(1, Initial::kUnknown).find("expected max changes 0"), std::string::npos);
  EXPECT_NE(says(1, Initial::kZero).find("expected max changes 0"), std::string::npos);
  EXPECT_NE(says(0, Initial::kZero).find("expected 1 to"), std::string::npos);
  // A plan of a server that says otherwise is refused too.
  Plan plan = *make_plan(Protocol::kOnce, 8, 0, epsilon("1"), Initial::kUnknown);
  EXPECT_TRUE(validate(plan));
  plan.max_changes = 1;
  EXPECT_FALSE(validate(plan));
  plan.max_changes = 0;
  plan.views[0].law = optimal(2, epsilon("1"));
  EXPECT_FALSE(validate(plan));
}

TEST(Plan, ThePapersFrameworkHasEveryOrderOnceWithTheSameLaw) {
  const Plan plan = *make_plan(Protocol::kFutureRand, 256, 4, epsilon("1"));
  ASSERT_EQ(plan.views.size(), 9U);
  for (Order h = 0; h < 9; ++h) {
    EXPECT_EQ(plan.views[h].order, h);
    EXPECT_EQ(plan.views[h].law, Law(future_rand(4, epsilon("1"))));
    EXPECT_EQ(plan.views[h].num_indices(256), 256U >> h);
  }
}

TEST(Plan, RefusesWhatIsOutOfRangeAndSaysWhatWouldBeRight) {
  EXPECT_NE(make_plan(Protocol::kHybrid, 0, 4, epsilon("1")).error().message.find("1048576"),
            std::string::npos);
  EXPECT_FALSE(make_plan(Protocol::kHybrid, kMaxPeriods + 1, 4, epsilon("1")));
  EXPECT_FALSE(make_plan(Protocol::kSnapshot, 4, 0, epsilon("1")));
  EXPECT_FALSE(make_plan(Protocol::kRepeated, 4, 4097, epsilon("1")));
  EXPECT_FALSE(make_plan(Protocol::kFutureRand, 4, 4, epsilon("1.000000001")));
  EXPECT_FALSE(make_plan(Protocol::kBun, 4, 4, epsilon("2")));
  EXPECT_TRUE(make_plan(Protocol::kErlingsson, 4, 4, epsilon("16")));
}

TEST(Plan, ValidateRefusesEachWayInWhichAServerCouldBendAPlan) {
  const Plan good = *make_plan(Protocol::kHybrid, 1024, 4, epsilon("1"));
  ASSERT_GT(good.views.size(), 2U);
  ASSERT_TRUE(validate(good));
  const auto refused = [&](auto&& bend) {
    Plan plan = good;
    bend(plan);
    return !validate(plan);
  };
  EXPECT_TRUE(refused([](Plan& p) { p.views.clear(); }));
  EXPECT_TRUE(refused([](Plan& p) { p.views[0].order = 11; }));
  EXPECT_TRUE(refused([](Plan& p) { p.views[0].weight = 0; }));
  EXPECT_TRUE(refused([](Plan& p) { p.views[0].weight = ~std::uint64_t{0}; }));
  EXPECT_TRUE(refused([](Plan& p) { p.views[1].order = 0; }));
  EXPECT_TRUE(refused([](Plan& p) { std::swap(p.views.front(), p.views.back()); }));
  EXPECT_TRUE(refused([](Plan& p) { p.views[0].kind = ViewKind::kValues; }));
  EXPECT_TRUE(refused([](Plan& p) { p.views[0].law = ThresholdLaw{4, 4, 1}; }));
  EXPECT_TRUE(refused([](Plan& p) { p.views[0].law = ThresholdLaw{5000, 4, 1}; }));
  EXPECT_TRUE(refused([](Plan& p) { p.protocol = Protocol::kOptimal; }));
  EXPECT_TRUE(refused([](Plan& p) { p.protocol = Protocol::kRepeated; }));
  EXPECT_TRUE(refused([](Plan& p) { p.num_periods = 0; }));
  EXPECT_TRUE(refused([](Plan& p) { p.max_changes = 5000; }));
}

TEST(PlanCertificate, OneBadViewSpoilsThePlan) {
  Plan plan = *make_plan(Protocol::kHybrid, 1024, 4, epsilon("1"));
  plan.views[1].law = optimal(num_signs(plan.views[1].law), epsilon("1.000000001"));
  EXPECT_TRUE(validate(plan));
  EXPECT_FALSE(certify(plan)->certified());
}

// Neighbours with the same law are judged once; others never share a verdict.
TEST(PlanCertificate, EveryViewHasItsOwnVerdict) {
  const Plan made = *make_plan(Protocol::kHybrid, 1024, 4, epsilon("0.5"));
  ASSERT_GE(made.views.size(), 4U);
  EXPECT_LE(certify(made)->exact_epsilon(), 0.5);
  for (std::uint32_t bad = 0; bad < 16; ++bad) {
    Plan plan = made;
    plan.views.resize(4);
    for (std::uint32_t v = 0; v < 4; ++v) {
      plan.views[v].law = optimal(4, epsilon((bad >> v) % 2 == 1 ? "0.500000001" : "0.5"));
    }
    const PlanCertificate certificate = *certify(plan);
    for (std::uint32_t v = 0; v < 4; ++v) {
      EXPECT_EQ(certificate.views[v].certified, (bad >> v) % 2 == 0) << bad << " " << v;
    }
    EXPECT_EQ(certificate.certified(), bad == 0);
  }
}

TEST(Plan, NamesRoundTrip) {
  for (const Protocol protocol : kProtocols) EXPECT_EQ(protocol_named(name_of(protocol)), protocol);
  EXPECT_FALSE(protocol_named("nonesuch"));
}

}  // namespace
}  // namespace futurerand
