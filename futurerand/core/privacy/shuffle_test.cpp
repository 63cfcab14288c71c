#include "futurerand/core/privacy/shuffle.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(Shuffle, HasTheValueOfTheProtocolsPage) {
  EXPECT_NEAR(*shuffled_epsilon(1, 100'000, 1e-6), 0.0726, 5e-5);
}

TEST(Shuffle, GivesLessTheMoreUsersThereAre) {
  double before = 1;
  for (std::uint64_t users = 1000; users <= 1'000'000'000; users *= 10) {
    const double epsilon = *shuffled_epsilon(1, users, 1e-6);
    EXPECT_LT(epsilon, before);
    before = epsilon;
  }
  EXPECT_EQ(*shuffled_epsilon(0, 1000, 1e-6), 0);
}

TEST(Shuffle, IsRefusedOutsideTheRangeOfTheBound) {
  // The bound is ln(n / (16 ln(2e6))), and 16 ln(2e6) = 232.1. Epsilon 1 needs 631.02 users.
  EXPECT_FALSE(shuffled_epsilon(1, 631, 1e-6));
  EXPECT_TRUE(shuffled_epsilon(1, 632, 1e-6));
  EXPECT_FALSE(shuffled_epsilon(16, 1'000'000, 1e-6));
  for (const double delta : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(shuffled_epsilon(1, 100'000, delta));
  }
  EXPECT_FALSE(shuffled_epsilon(std::nan(""), 100'000, 1e-6));
  EXPECT_NE(shuffled_epsilon(1, 631, 1e-6).error().message.find("632"), std::string::npos);
}

}  // namespace
}  // namespace futurerand
