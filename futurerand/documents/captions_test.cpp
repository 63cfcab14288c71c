#include "futurerand/documents/captions.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(Captions, WriteThousands) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999.6), "1,000");
  EXPECT_EQ(with_commas(-1234567.2), "-1,234,567");
  EXPECT_EQ(with_commas(-0.2), "0");
  EXPECT_EQ(with_commas(std::nan("")), "-");
}

TEST(Captions, CountOneAndMany) {
  EXPECT_EQ(counted(0, "trial"), "0 trials");
  EXPECT_EQ(counted(1, "trial"), "1 trial");
  EXPECT_EQ(counted(100'000, "user"), "100,000 users");
}

TEST(Captions, SayHowLongInOneUnit) {
  EXPECT_EQ(duration_text(-1), "0 s");
  EXPECT_EQ(duration_text(99.4), "99 s");
  EXPECT_EQ(duration_text(600), "10 min");
  EXPECT_EQ(duration_text(3 * 3600), "3 h");
  EXPECT_EQ(duration_text(1e9), "11,574 days");
}

}  // namespace
}  // namespace futurerand
