#include "futurerand/client/drawn_device.hpp"

#include <array>

#include <gtest/gtest.h>

#include "futurerand/client/test/terms.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

// By the words of law/sparse.md: the score of the first symbols of a word.
int sparse_score(std::uint64_t word, const SparseLaw& law) {
  int score = 0;
  for (std::uint32_t j = 0; j < law.num_signs; ++j) {
    const std::uint64_t unit = (word >> (16 * j)) % 65'536;
    score += 2 * unit < law.nonzero ? -1 : unit < law.nonzero ? 1 : 0;
  }
  return score;
}

// The high side of a sparse law is rare and takes long to draw. So whoever draws from one side
// draws from the other as well: words are read until there is a vector of it.
TEST(DrawnDevice, TheTimeToJoinDoesNotTellTheSide) {
  const CertifiedPlan plan = test::terms_of("m", Protocol::kHybrid, 64, "4").plan;
  std::array<int, 2> sides{};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    test::SeededSource source(seed), same(seed);
    const Result<DrawnDevice> drawn = DrawnDevice::draw(plan, 1, source);
    ASSERT_TRUE(drawn);
    const DeviceState state = drawn->device.state();
    const auto* law = std::get_if<SparseLaw>(&plan.plan().views[state.view].law);
    if (law == nullptr || law->num_signs > 4) continue;  // four symbols are one word

    std::array<std::uint64_t, 6> id_and_key;
    ASSERT_TRUE(same.fill(std::span(id_and_key).first(2)));
    ASSERT_TRUE(Device::join(plan, 1, same));
    ASSERT_TRUE(same.fill(std::span(id_and_key).first(4)));
    int score = 0;
    for (std::uint32_t j = 0; j < law->num_signs; ++j) score += static_cast<int>(state.noise.at(j));
    const bool loud = score > static_cast<int>(law->tau);
    std::uint64_t word = 0;
    do {
      ASSERT_TRUE(same.fill({&word, 1}));
    } while ((sparse_score(word, *law) > static_cast<int>(law->tau)) == loud);
    EXPECT_EQ(source.words_given(), same.words_given()) << seed;
    ++sides[loud ? 1 : 0];
  }
  EXPECT_GT(sides[0], 10);
  EXPECT_GT(sides[1], 10);
}

}  // namespace
}  // namespace futurerand
