#include "futurerand/core/base/epsilon.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(Epsilon, KeepsTheDecimalThatWasWritten) {
  for (const char* text : {"1", "0.25", "0.000001", "16", "3.141592653", "0.1"}) {
    const Result<Epsilon> epsilon = Epsilon::parse(text);
    ASSERT_TRUE(epsilon) << text;
    EXPECT_EQ(epsilon->text(), text);
  }
  EXPECT_EQ(Epsilon::parse("1")->nanos(), 1'000'000'000);
  EXPECT_EQ(Epsilon::parse(".5")->text(), "0.5");
  EXPECT_EQ(Epsilon::parse("0001.50")->text(), "1.5");
  EXPECT_EQ(Epsilon::parse("16.000000000")->text(), "16");
}

TEST(Epsilon, RefusesWhatIsNotAPlainDecimalInRange) {
  for (const char* text : {"",
                           ".",
                           "-1",
                           "+1",
                           "1e-3",
                           "nan",
                           "inf",
                           "0x1",
                           "1.0.0",
                           " 1",
                           "1 ",
                           "0.0000000001",
                           "0",
                           "0.000000999",
                           "16.000000001",
                           "17",
                           "99999999999999999999",
                           "0.9999999999",
                           "1..5",
                           "1a",
                           "1:",
                           "1/",
                           "0.1.",
                           "0.1:",
                           "0.1a"}) {
    EXPECT_FALSE(Epsilon::parse(text)) << text;
  }
  for (const char* text : {"", "."}) {
    EXPECT_EQ(Epsilon::parse(text).error().message,
              "epsilon '" + std::string(text) +
                  "' is not a plain decimal; expected at most 9 decimals, such as 1 or 0.25");
  }
  EXPECT_FALSE(Epsilon::from_nanos(16'000'000'001));
  EXPECT_TRUE(Epsilon::from_nanos(16'000'000'000));
  EXPECT_FALSE(Epsilon::from_nanos(999));
  EXPECT_FALSE(Epsilon::from_nanos(-1));
  EXPECT_TRUE(Epsilon::from_nanos(1'000));
}

}  // namespace
}  // namespace futurerand
