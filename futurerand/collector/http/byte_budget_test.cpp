#include "futurerand/collector/http/byte_budget.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(ByteBudget, LargeOnesLeaveRoomForSmallOnes) {
  ByteBudget budget(1 << 20);
  {
    ByteBudget::Share large(budget);
    EXPECT_TRUE(large.grow_to(700'000));
    EXPECT_FALSE(large.grow_to(800'000));
    EXPECT_EQ(budget.taken(), 700'000U);
    ByteBudget::Share second(budget);
    EXPECT_FALSE(second.grow_to(100'000));
    ByteBudget::Share small(budget);
    EXPECT_TRUE(small.grow_to(1));
    EXPECT_TRUE(small.grow_to(ByteBudget::kSmall));
    EXPECT_TRUE(small.grow_to(5));
    EXPECT_EQ(budget.taken(), 700'000U + ByteBudget::kSmall);
  }
  EXPECT_EQ(budget.taken(), 0U);
}

}  // namespace
}  // namespace futurerand
