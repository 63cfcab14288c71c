#include "futurerand/simulator/values_file.hpp"

#include <string>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

std::string error_of(std::string_view text) {
  const auto users = parse_values(text, "v.csv", 8);
  return users ? "" : users.error().message;
}

TEST(ValuesFile, GroupsRowsByUserInPeriodOrder) {
  const auto users = parse_values("user,period,value\n9,5,0\n2,1,1\n9,3,1\n", "v.csv", 8);
  ASSERT_TRUE(users);
  const std::vector<UserValues> expected = {{2, {{1, true}}}, {9, {{3, true}, {5, false}}}};
  EXPECT_EQ(*users, expected);
}

TEST(ValuesFile, ToleratesCarriageReturnsAndAMissingLastNewline) {
  const auto users =
      parse_values("user,period,value\r\n1,8,1\r\n18446744073709551615,1,0", "v.csv", 8);
  ASSERT_TRUE(users);
  EXPECT_EQ(users->size(), 2U);
}

TEST(ValuesFile, AHeaderAloneIsNobody) {
  const auto users = parse_values("user,period,value\n", "v.csv", 8);
  ASSERT_TRUE(users);
  EXPECT_TRUE(users->empty());
}

TEST(ValuesFile, NamesFileLineAndWhatWasExpected) {
  const std::string header = "user,period,value\n";
  EXPECT_EQ(error_of(""), "v.csv:1: nothing is there; expected the header user,period,value");
  EXPECT_EQ(error_of("id,t,v\n"), "v.csv:1: found 'id,t,v'; expected the header user,period,value");
  EXPECT_EQ(error_of(header + "1,2\n"),
            "v.csv:2: found '1,2'; expected three fields, user,period,value");
  EXPECT_EQ(error_of(header + "1,1,1\n\n"),
            "v.csv:3: found ''; expected three fields, user,period,value");
  EXPECT_EQ(error_of(header + "1,2,1,1\n"),
            "v.csv:2: found '1,2,1,1'; expected three fields, user,period,value");
  for (const char* user : {"", "x", "-1", "+1", " 1", "1.0", "18446744073709551616"}) {
    EXPECT_EQ(
        error_of(header + user + ",2,1\n"),
        "v.csv:2: user is '" + std::string(user) + "'; expected a whole number from 0 to 2^64-1");
  }
  for (const char* period : {"", "0", "9", "4294967297", "-1", "two"}) {
    EXPECT_EQ(
        error_of(header + "1," + period + ",1\n"),
        "v.csv:2: period is '" + std::string(period) + "'; expected a whole number from 1 to 8");
  }
  for (const char* value : {"", "2", "01", "true"}) {
    EXPECT_EQ(error_of(header + "1,1," + value + "\n"),
              "v.csv:2: value is '" + std::string(value) + "'; expected 0 or 1");
  }
  EXPECT_EQ(error_of(header + "7,3,1\n1,1,1\n7,3,0\n"),
            "v.csv:4: user 7 and period 3 are in line 2 too; expected one row for both");
  EXPECT_EQ(error_of(header + "\x01\xff,1,1\n"),
            "v.csv:2: user is '\?\?'; expected a whole number from 0 to 2^64-1");
}

}  // namespace
}  // namespace futurerand
