#include <gtest/gtest.h>

#include "futurerand/audit/exhaustive_news.hpp"
#include "futurerand/core/base/test/epsilon.hpp"

namespace futurerand {
namespace {

TEST(ExhaustiveNewsLong, EveryPlanUpToEightPeriods) {
  for (Period d = 2; d <= 8; ++d) {
    for (std::uint32_t k = 1; k < d && k <= 3; ++k) {
      for (const char* budget : {"0.5", "1", "2", "4"}) {
        const CertifiedPlan plan =
            *CertifiedPlan::create(*make_plan(Protocol::kInnovation, d, k, epsilon(budget)));
        for (const Period joined : {Period{1}, d / 2 + 1}) {
          EXPECT_TRUE(audit_news_exhaustively(plan, joined)->passed())
              << d << " " << k << " " << budget << " " << joined;
        }
      }
    }
  }
}

}  // namespace
}  // namespace futurerand
