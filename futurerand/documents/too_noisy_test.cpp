#include "futurerand/documents/too_noisy.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "futurerand/estimator/answer.hpp"

namespace futurerand {
namespace {

TEST(TooNoisy, IsSaidWhereTheBandIsAsWideAsThePopulation) {
  // These are 709 devices with a band from -517 to 1,386.
  EXPECT_NE(too_noisy(709, 1386 + 517, 0.95).find("709 devices a typical 95% band is 1,903 wide"),
            std::string::npos);
  EXPECT_NE(too_noisy(100, 50, 0.95), "");
  EXPECT_EQ(too_noisy(100, 49.9, 0.95), "");
  EXPECT_EQ(too_noisy(100'000, 8000, 0.95), "");
  EXPECT_NE(too_noisy(100, std::nan(""), 0.95), "");
}

TEST(TooNoisy, IsSaidOnceForSeveralProtocols) {
  EXPECT_EQ(too_noisy_together({}, 0.95), "");
  EXPECT_NE(too_noisy_together({"warner", "bun"}, 0.95).find("useful: warner, bun: a typical 95"),
            std::string::npos);
  EXPECT_TRUE(is_too_noisy(100, 50));
  EXPECT_FALSE(is_too_noisy(100, 49.9));
  EXPECT_FALSE(is_too_noisy(100, std::nan("")));
}

TEST(Median, IsTheMiddleOne) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({5}), 5);
  EXPECT_TRUE(std::isnan(median({})));
}

}  // namespace
}  // namespace futurerand
