#include "futurerand/simulator/populations/values_file.hpp"

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
  const std::vector<UserValues> expected = {{"2", {{1, true}}}, {"9", {{3, true}, {5, false}}}};
  EXPECT_EQ(*users, expected);
}

TEST(ValuesFile, TakesAnyTextForAUser) {
  const auto users = parse_values(
      "user,period,value\nbob,2,1\n10,1,1\nDoe, Jane,3,1\n9,1,0\nbob,4,0\n\x01\xff,1,1\n09,1,1\n",
      "v.csv", 8);
  ASSERT_TRUE(users) << users.error().message;
  std::vector<std::string> names;
  for (const UserValues& user : *users) names.push_back(user.user);
  // Numbers come first, by value; two spellings of a number are two users.
  EXPECT_EQ(names, (std::vector<std::string>{"09", "9", "10", "\x01\xff", "Doe, Jane", "bob"}));
  EXPECT_EQ(users->back().changes, (std::vector<ValueFrom>{{2, true}, {4, false}}));
  EXPECT_EQ((*users)[1].changes, (std::vector<ValueFrom>{{1, false}}));  // never changes
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
  const std::string fields = "not three fields; expected user,period,value between two commas";
  EXPECT_EQ(error_of(""), "v.csv:1: nothing is there; expected the header user,period,value");
  EXPECT_EQ(error_of("id,t,v\n"), "v.csv:1: another header; expected the header user,period,value");
  EXPECT_EQ(error_of(header + "1,2\n"), "v.csv:2: " + fields);
  EXPECT_EQ(error_of(header + "1,1,1\n\n"), "v.csv:3: " + fields);
  EXPECT_EQ(error_of(header + ",2,1\n"), "v.csv:2: column 1, user: empty; expected any text");
  const std::string range = "; expected a whole number from 1 to 8";
  for (const char* period : {"", "-1", "two", "1.5"}) {
    EXPECT_EQ(error_of(header + "1," + period + ",1\n"),
              "v.csv:2: column 2, period: no whole number" + range);
  }
  for (const char* period : {"0", "9", "4294967297"}) {
    EXPECT_EQ(error_of(header + "1," + period + ",1\n"),
              "v.csv:2: column 2, period: out of range" + range);
  }
  for (const char* value : {"", "2", "01", "true"}) {
    EXPECT_EQ(error_of(header + "1,1," + value + "\n"),
              "v.csv:2: column 3, value: neither of the two; expected 0 or 1");
  }
  EXPECT_EQ(error_of(header + "7,3,1\n1,1,1\n7,3,0\n"),
            "v.csv:4: the user and period of line 2 again; expected one row for both");
}

// A values file has personal data. An error in a log must not reveal it.
TEST(ValuesFile, NeverQuotesTheFile) {
  const std::string header = "user,period,value\n";
  for (const std::string& text :
       {std::string("secret,rows,here\n"), header + "secret,9,1\n", header + "1,secret,1\n",
        header + "1,2,secret\n", header + "1,2,1,secret\n", header + "secret\n",
        header + "424242,3,1\n424242,3,0\n"}) {
    EXPECT_EQ(error_of(text).find("secret"), std::string::npos) << error_of(text);
    EXPECT_EQ(error_of(text).find("424242"), std::string::npos) << error_of(text);
  }
}

}  // namespace
}  // namespace futurerand
