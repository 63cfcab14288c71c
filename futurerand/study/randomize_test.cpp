#include "futurerand/study/randomize.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

// Returns the one sign of each of 1,000 devices, in the order of the lines. The first 500 hold 1,
// the others are not in the file, and at this epsilon a device lies once in 2,982.
std::string signs_in_order(const std::optional<std::uint64_t>& seed) {
  const CertifiedPlan plan =
      *CertifiedPlan::create(*make_plan(Protocol::kRepeated, 1, 1, *Epsilon::parse("8")));
  std::vector<UserValues> users;
  for (std::uint64_t user = 0; user < 500; ++user)
    users.push_back({std::to_string(user), {{1, true}}});
  std::string lines;
  EXPECT_TRUE(
      randomize(plan, users, 1000, seed, [&](std::string_view text) { lines += text; }, {}));
  const std::string key = "\"signs\":\"";
  std::string signs;
  for (std::size_t at = lines.find(key); at != std::string::npos; at = lines.find(key, at + 1)) {
    signs += lines[at + key.size()];
  }
  return signs;
}

std::ptrdiff_t plus_among_the_first_half(const std::string& signs) {
  return std::count(signs.begin(), signs.begin() + 500, '+');
}

// In the order of the file its users would be the first half. In a random order their number there
// has a standard deviation of 8 around 250: 80 is ten of them.
TEST(Randomize, TheOrderOfLinesDoesNotTellWhoIsInTheFile) {
  std::string before;
  for (int run = 0; run < 3; ++run) {
    const std::string signs = signs_in_order(std::nullopt);
    ASSERT_EQ(signs.size(), 1000U);
    EXPECT_NEAR(static_cast<double>(std::count(signs.begin(), signs.end(), '+')), 500, 12);
    EXPECT_NEAR(static_cast<double>(plus_among_the_first_half(signs)), 250, 80);
    EXPECT_NE(signs, before);
    before = signs;
  }
}

TEST(Randomize, ASeedKeepsTheOrderOfTheFile) {
  const std::string signs = signs_in_order(7);
  ASSERT_EQ(signs.size(), 1000U);
  EXPECT_GT(plus_among_the_first_half(signs), 490);
  EXPECT_EQ(signs, signs_in_order(7));
}

}  // namespace
}  // namespace futurerand
