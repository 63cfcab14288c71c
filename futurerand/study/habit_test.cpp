#include "futurerand/study/habit.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace futurerand {
namespace {

// The page's test reads the same examples.
TEST(Habit, IsToldFromAState) {
  std::ifstream file(std::string(FUTURERAND_SOURCE_DIR) + "/tests/data/habits.json");
  const auto examples = nlohmann::json::parse(file);
  ASSERT_GT(examples.size(), 10u);
  for (const auto& example : examples) {
    EXPECT_EQ(sounds_like_habit(example["question"].get<std::string>()),
              example["habit"].get<bool>())
        << example["question"];
  }
}

TEST(Habit, WarnsOfFewChangesOnly) {
  const auto plan = [](std::uint32_t changes) {
    return *make_plan(Protocol::kInnovation, 64, changes, *Epsilon::parse("1"));
  };
  EXPECT_NE(habit_warning("Used today?", plan(4)).find("at most 4 changes in 64 periods"),
            std::string::npos);
  EXPECT_EQ(habit_warning("Used today?", plan(16)), "");
  EXPECT_EQ(habit_warning("Is dark mode on?", plan(4)), "");
}

}  // namespace
}  // namespace futurerand
