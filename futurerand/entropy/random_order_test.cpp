#include "futurerand/entropy/random_order.hpp"

#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/entropy/system_entropy.hpp"

namespace futurerand {
namespace {

class FixedSource final : public RandomSource {
 public:
  explicit FixedSource(std::uint64_t word) : word_(word) {}
  bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) word = word_++ * 0x9e3779b97f4a7c15;
    return true;
  }

 private:
  std::uint64_t word_;
};

TEST(RandomOrder, HasEveryNumberOnce) {
  for (const std::uint64_t size : {1U, 2U, 3U, 4U, 5U, 16U, 17U, 100U, 1000U}) {
    SystemEntropy entropy;
    const RandomOrder order = *RandomOrder::draw(size, entropy);
    std::vector<bool> seen(size);
    for (std::uint64_t place = 0; place < size; ++place) {
      const std::uint64_t number = order.at(place);
      ASSERT_LT(number, size);
      ASSERT_FALSE(seen[number]);
      seen[number] = true;
    }
  }
}

// Over many keys each number is at each place about as often. The 30,000 keys are fixed; a cell
// expects 3,000, and six standard deviations are allowed.
TEST(RandomOrder, PutsEveryNumberAnywhere) {
  constexpr std::uint64_t kSize = 10, kKeys = 30'000;
  std::vector<int> counts(kSize * kSize);
  for (std::uint64_t key = 1; key <= kKeys; ++key) {
    FixedSource source(key * 1000);
    const RandomOrder order = *RandomOrder::draw(kSize, source);
    for (std::uint64_t place = 0; place < kSize; ++place) ++counts[place * kSize + order.at(place)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 3000, 6 * 52);
}

TEST(RandomOrder, NeedsEntropy) {
  class Broken final : public RandomSource {
   public:
    bool fill(std::span<std::uint64_t>) override { return false; }
  } broken;
  EXPECT_FALSE(RandomOrder::draw(5, broken));
}

}  // namespace
}  // namespace futurerand
