#include "futurerand/entropy/checked_entropy.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "futurerand/entropy/system_entropy.hpp"

namespace futurerand {
namespace {

// Gives the words of a list, then sound ones.
class ListSource final : public RandomSource {
 public:
  explicit ListSource(std::vector<std::uint64_t> list) : list_(std::move(list)) {}
  [[nodiscard]] bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) {
      if (at_ < list_.size()) {
        word = list_[at_++];
      } else if (!sound_.fill({&word, 1})) {
        return false;
      }
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> list_;
  std::size_t at_ = 0;
  SystemEntropy sound_;
};

// How many words come out before it fails, of 64, asked for `step` at a time.
std::size_t passed(std::vector<std::uint64_t> list, std::size_t step) {
  ListSource source(std::move(list));
  CheckedEntropy checked(source);
  std::vector<std::uint64_t> words(step);
  std::size_t count = 0;
  while (count < 64 && checked.fill(words)) count += step;
  if (count < 64) {
    EXPECT_FALSE(checked.fill(words));  // for good
    EXPECT_EQ(words, std::vector<std::uint64_t>(step));
  }
  return count;
}

TEST(CheckedEntropy, PassesSoundWords) {
  for (const std::size_t step : {1U, 2U, 8U}) EXPECT_EQ(passed({}, step), 64U);
  EXPECT_EQ(passed({1, 2, 3, 0, 0, 0, 4, 0, 0, 0, 5}, 1), 64U);
  EXPECT_EQ(passed({1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3, 5 + 1}, 1), 64U);
  EXPECT_EQ(passed({7, 7, 7, 7, 7, 7, 7, 8}, 1), 64U);
}

TEST(CheckedEntropy, EndsAt32BytesOfZerosWhereverTheyBegin) {
  EXPECT_EQ(passed({0, 0, 0, 0}, 1), 3U);
  EXPECT_EQ(passed({0, 0, 0, 0}, 4), 0U);
  EXPECT_EQ(passed({1, 0, 0, 0, 0, 2}, 1), 4U);
  EXPECT_EQ(passed({1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0}, 8), 8U);  // they end in the second eight
}

TEST(CheckedEntropy, EndsAt32BytesThatAreRepeated) {
  EXPECT_EQ(passed({9, 9, 9, 9, 9, 9, 9, 9}, 1), 7U);
  EXPECT_EQ(passed({1, 2, 1, 2, 1, 2, 1, 2}, 1), 7U);
  EXPECT_EQ(passed({5, 1, 2, 3, 4, 1, 2, 3, 4}, 1), 8U);
  EXPECT_EQ(passed({1, 2, 3, 4, 1, 2, 3, 4}, 4), 4U);
}

}  // namespace
}  // namespace futurerand
