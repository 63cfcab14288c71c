// The vectors drawn by a region of counts too rare for rejection, over every tape of short words.
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/count_region.hpp"
#include "futurerand/core/randomizer/test/drawn_vectors.hpp"
#include "futurerand/core/randomizer/test/tapes.hpp"
#include "futurerand/core/randomizer/uniform.hpp"

namespace futurerand {
namespace {

// Returns the number of tapes of `words` 4-bit words that pass all stages from `stage` on.
// stages[i] of the 16 words pass stage i, and any other word is drawn again.
std::uint64_t passing(const std::vector<std::uint64_t>& stages, std::size_t stage,
                      std::uint32_t words) {
  if (stage == stages.size()) return std::uint64_t{1} << (4 * words);
  if (words == 0) return 0;
  return stages[stage] * passing(stages, stage + 1, words - 1) +
         (16 - stages[stage]) * passing(stages, stage, words - 1);
}

// The region is too rare for rejection, so the count is drawn by its weight, and then a subset, by
// an integer below 4 - size + 1, ..., 4.
TEST(RegionEnumeration, RegionsByWeight) {
  constexpr std::uint32_t kWords = 5;
  const std::vector<std::uint64_t> pass_below = {0, 16, 16, 12, 16};  // of 16, by the bound
  struct RegionCase {
    CountSet counts;
    std::uint64_t size;
    std::uint64_t pass_pick;  // of 16
  };
  for (const RegionCase& region_case :
       {RegionCase{{0, 1}, 5, 10}, RegionCase{{1, 2}, 10, 10}, RegionCase{{2, 3, true}, 6, 12}}) {
    const CountRegion region(4, region_case.counts, 0);
    ASSERT_FALSE(region.by_rejection());
    const test::Tapes tapes(4, kWords);
    test::DrawnVectors drawn;
    tapes.for_each(
        [&](RandomSource& source) {
          BasicUniformBits<4> bits(source);
          SignVector signs(4);
          region.draw(bits, signs);
          return bits.failed() ? std::nullopt : std::optional(signs);
        },
        [&](const std::optional<SignVector>& signs, std::uint64_t weight) {
          if (signs) drawn.add(*signs, weight);
        });
    for (const test::Symbols& vector : test::all_vectors(4, false)) {
      const std::uint32_t minus = test::count(vector, -1);
      std::vector<std::uint64_t> stages = {region_case.pass_pick};
      for (std::uint32_t bound = 4 - minus + 1; bound <= 4; ++bound) {
        stages.push_back(pass_below[bound]);
      }
      const bool inside = region_case.counts.contains(minus);
      EXPECT_EQ(drawn[vector] * region_case.size, inside ? passing(stages, 0, kWords) : 0U);
    }
  }
}

}  // namespace
}  // namespace futurerand
