#include "futurerand/core/randomizer/sign_randomizer.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

using test::SeededSource;

SignVector noise_of(std::initializer_list<int> signs) {
  SignVector noise(static_cast<std::uint32_t>(signs.size()));
  std::uint32_t j = 0;
  for (const int sign : signs) noise.set_minus(j++, sign < 0);
  return noise;
}

struct Words {
  explicit Words(std::size_t count, SeededSource& source) : words(count) {
    EXPECT_TRUE(source.fill(words));
  }
  std::vector<std::uint64_t> words;
  bool bit(std::size_t i) const { return (words[i / 64] >> (i % 64)) & 1U; }
};

TEST(SignRandomizer, ChangesLeaveAsTheirSignTimesTheNextNoiseAndZerosAsTheCoin) {
  SignRandomizer randomizer(noise_of({1, -1, -1}));
  EXPECT_EQ(randomizer.randomize(0, true), Sign::kMinus);
  EXPECT_EQ(randomizer.randomize(0, false), Sign::kPlus);
  EXPECT_EQ(randomizer.randomize(1, true), Sign::kPlus);
  EXPECT_EQ(randomizer.randomize(-1, true), Sign::kPlus);
  EXPECT_EQ(randomizer.used(), 2U);
  EXPECT_EQ(randomizer.randomize(0, true), Sign::kMinus);
  EXPECT_EQ(randomizer.randomize(1, false), Sign::kMinus);
  EXPECT_EQ(randomizer.used(), 3U);
}

// They are the unused coins of the first changes, each once and times the input.
TEST(SignRandomizer, AfterKChangesOnlyUnusedCoinsLeave) {
  SignRandomizer randomizer(noise_of({-1, -1}));
  EXPECT_EQ(randomizer.randomize(1, true), Sign::kMinus);
  EXPECT_EQ(randomizer.randomize(1, false), Sign::kMinus);
  EXPECT_EQ(randomizer.randomize(0, true), Sign::kMinus);
  EXPECT_EQ(randomizer.randomize(1, true), Sign::kMinus);
  EXPECT_EQ(randomizer.randomize(-1, true), Sign::kMinus);
  EXPECT_EQ(randomizer.randomize(-1, false), Sign::kPlus);
  EXPECT_EQ(randomizer.randomize(1, false), Sign::kMinus);
}

TEST(SignRandomizer, UsedNoiseIsOverwrittenByTheUnusedCoin) {
  SignRandomizer randomizer(noise_of({-1, 1, -1}));
  randomizer.randomize(1, false);
  EXPECT_EQ(randomizer.noise(), noise_of({1, 1, -1}));
  randomizer.randomize(-1, true);
  EXPECT_EQ(randomizer.noise(), noise_of({1, -1, -1}));
  randomizer.randomize(0, false);
  EXPECT_EQ(randomizer.noise(), noise_of({1, -1, -1}));
  EXPECT_EQ(randomizer.next(), 2U);
}

TEST(SignRandomizer, ResumesWhereItStopped) {
  SeededSource source(21);
  for (std::uint32_t stop = 0; stop < 20; ++stop) {
    const SignVector noise = noise_of({1, -1, -1, 1, -1});
    const std::vector<std::int8_t> inputs = {1, 0, -1, 0, 0, 1, 1, -1, 0, 1,
                                             1, 0, 0,  1, 0, 1, 0, 0,  0, -1};
    const Words coins(1, source);
    SignRandomizer whole(noise), first(noise);
    for (std::uint32_t i = 0; i < stop; ++i) {
      EXPECT_EQ(whole.randomize(inputs[i], coins.bit(i)), first.randomize(inputs[i], coins.bit(i)));
    }
    SignRandomizer second(first.noise().rotated(first.next()));
    for (std::uint32_t i = stop; i < inputs.size(); ++i) {
      EXPECT_EQ(whole.randomize(inputs[i], coins.bit(i)),
                second.randomize(inputs[i], coins.bit(i)));
    }
    EXPECT_EQ(whole.noise().rotated(whole.next()), second.noise().rotated(second.next()));
  }
}

TEST(SignRandomizer, AbortsOnMoreUsedThanThereIs) {
  EXPECT_EQ(SignRandomizer(noise_of({1, -1}), 2).used(), 2U);
  EXPECT_DEATH(SignRandomizer(noise_of({1, -1}), 3), "");
}

// The coin of an index must not depend on the data.
TEST(SignRandomizer, AZeroGetsTheCoinOfItsOwnIndex) {
  SeededSource source(23);
  for (int round = 0; round < 100; ++round) {
    const Words coins(1, source);
    SignRandomizer randomizer(noise_of({-1, 1, -1}));
    std::vector<std::int8_t> inputs(64);
    for (int change = 0; change < round % 5; ++change) {
      inputs[static_cast<std::size_t>(round * 7 + change * 11) % 64] = 1;
    }
    for (std::size_t i = 0; i < 64; ++i) {
      const Sign sign = randomizer.randomize(inputs[i], coins.bit(i));
      if (inputs[i] == 0) {
        EXPECT_EQ(sign, sign_of(coins.bit(i)));
      }
    }
  }
}

TEST(SignVector, KeepsOnlyItsOwnSigns) {
  for (const std::uint32_t size : {1U, 63U, 64U, 65U, 130U}) {
    SignVector signs(size);
    for (std::size_t w = 0; w < signs.num_words(); ++w) signs.set_word(w, ~std::uint64_t{0});
    EXPECT_EQ(signs.count_minus(), size);
    signs.set_minus(size - 1, false);
    EXPECT_FALSE(signs.is_minus(size - 1));
    EXPECT_EQ(signs.count_minus(), size - 1);
  }
}

}  // namespace
}  // namespace futurerand
