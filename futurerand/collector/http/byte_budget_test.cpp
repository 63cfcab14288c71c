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

TEST(ByteBudget, LargeOnesOfOneNetworkLeaveRoomForThoseOfOthers) {
  const std::optional<Address> one = Address::parse("192.0.2.1");
  const std::optional<Address> other = Address::parse("192.0.2.2");
  ByteBudget budget(4 << 20);
  {
    ByteBudget::Share first(budget, one);
    EXPECT_TRUE(first.grow_to(2 << 20));  // alone it may be of any size
    ByteBudget::Share second(budget, one);
    EXPECT_TRUE(second.grow_to(ByteBudget::kSmall));
    EXPECT_FALSE(second.grow_to(ByteBudget::kSmall + 1));
    EXPECT_EQ(budget.taken(), (2U << 20) + ByteBudget::kSmall);
    EXPECT_FALSE(first.grow_to(4 << 20));
    ByteBudget::Share of_other(budget, other);
    EXPECT_TRUE(of_other.grow_to(500'000));
    ByteBudget::Share again(budget, other);
    EXPECT_TRUE(again.grow_to(400'000));
    EXPECT_FALSE(again.grow_to(600'000));  // more than a quarter
  }
  EXPECT_EQ(budget.taken(), 0U);
  // Nothing is remembered of ended requests, or of refused ones.
  ByteBudget::Share first(budget, one);
  EXPECT_TRUE(first.grow_to(1 << 19));
  ByteBudget::Share second(budget, one);
  EXPECT_TRUE(second.grow_to(1 << 19));
}

}  // namespace
}  // namespace futurerand
