#include "futurerand/core/randomizer/innovation_randomizer.hpp"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/law_sampler.hpp"
#include "futurerand/core/randomizer/test/innovation_definition.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"

namespace futurerand {
namespace {

using test::InnovationDefinition;
using test::SeededSource;

std::uint64_t next(SeededSource& source) {
  std::uint64_t word = 0;
  EXPECT_TRUE(source.fill({&word, 1}));
  return word;
}

// Returns gaps that fall, in any way, with one or more levels. Every other law is quiet.
WeightedThresholdLaw some_law(SeededSource& random,
                              std::uint64_t largest_gap = std::uint64_t{1} << 40) {
  const bool quiet = next(random) % 2 == 0;
  WeightedThresholdLaw law{
      0, {}, 1, std::uint64_t{3} << 62, SparseLaw::kUnits >> (quiet ? 2 + next(random) % 6 : 0)};
  std::uint64_t gap = 1 + next(random) % largest_gap;
  for (std::uint64_t l = 0, levels = 2 + next(random) % 6; l < levels; ++l) {
    const auto stock = static_cast<std::uint32_t>(1 + next(random) % 9);
    law.levels.push_back({stock, 1, gap});
    law.num_signs += stock;
    gap = 1 + next(random) % gap;
  }
  return law;
}

// Returns any noise that the law can have; every other symbol of a quiet one speaks.
SignVector some_noise(const WeightedThresholdLaw& law, SeededSource& random) {
  SignVector noise(law.num_signs, law.nonzero < 65'536);
  for (std::uint32_t j = 0; j < noise.size(); ++j) {
    const bool silent = noise.may_be_zero() && next(random) % 2 == 0;
    noise.set(j, silent ? Sign::kZero : sign_of(next(random) % 2 == 0));
  }
  return noise;
}

Sign symbol_at(const SymbolBits& symbols, std::uint32_t i) {
  EXPECT_EQ(symbols.minus & symbols.silent, 0U);
  if ((symbols.silent >> i) & 1U) return Sign::kZero;
  return sign_of((symbols.minus >> i) & 1U);
}

bool ends_after(const SymbolBits& symbols, std::uint32_t count) {
  return count == 64 || (symbols.minus | symbols.silent) >> count == 0;
}

void expect_life_of_the_definition(const WeightedThresholdLaw& law, SeededSource& random) {
  const auto levels = std::make_shared<const InnovationLevels>(law);
  const SignVector noise = some_noise(law, random);
  InnovationDefinition definition(law, noise);
  InnovationRandomizer randomizer(levels, noise);
  // Values range from one that never changes to one that changes every other period, and there
  // are more of them than the stock has signs.
  const std::uint64_t rarity = 2 + next(random) % 30;
  bool value = false;
  for (std::uint32_t t = 0; t < law.num_signs + 5; ++t) {
    if (next(random) % rarity == 0) value = !value;
    const auto unit = static_cast<std::uint32_t>(next(random));
    ASSERT_EQ(randomizer.randomize(value, unit), definition.next(value, unit)) << t;
    // The randomizer is saved and loaded again after every period.
    const InnovationMemory memory = randomizer.memory();
    ASSERT_TRUE(InnovationRandomizer::is_possible(*levels, randomizer.noise(), memory, t + 1));
    randomizer = InnovationRandomizer(levels, randomizer.noise(), memory);
    ASSERT_EQ(randomizer.memory(), memory);
  }
}

TEST(InnovationRandomizer, DoesWhatTheDefinitionSays) {
  SeededSource random(31);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    expect_life_of_the_definition(some_law(random), random);
  }
}

// With gaps of a few sizes innovation are often exactly as large as some, and several are the same:
// the lowest of these levels serves.
TEST(InnovationRandomizer, DoesSoWhereGapsAreEqual) {
  SeededSource random(36);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    expect_life_of_the_definition(some_law(random, 6), random);
  }
}

TEST(InnovationRandomizer, ARunEqualsOnePeriodAtATime) {
  SeededSource random(32);
  for (int round = 0; round < 300; ++round) {
    const WeightedThresholdLaw law = some_law(random);
    const auto levels = std::make_shared<const InnovationLevels>(law);
    const SignVector noise = some_noise(law, random);
    InnovationRandomizer single(levels, noise), runs(levels, noise);
    bool value = false;
    for (int run = 0; run < 12; ++run) {
      value = next(random) % 2 == 0;
      const auto count = static_cast<std::uint32_t>(1 + next(random) % 64);
      std::vector<std::uint32_t> units(count);
      for (std::uint32_t& unit : units) unit = static_cast<std::uint32_t>(next(random));
      const SymbolBits symbols =
          runs.randomize_run(value, count, [&](std::uint32_t i) { return units[i]; });
      for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(single.randomize(value, units[i]), symbol_at(symbols, i));
      }
      EXPECT_TRUE(ends_after(symbols, count));
      ASSERT_EQ(single.memory(), runs.memory());
      ASSERT_EQ(single.noise(), runs.noise());
    }
  }
}

// A settled device sends 64 periods at once, wherever in the noise's words it is.
TEST(InnovationRandomizer, WholeWordsOfSettledPeriods) {
  SeededSource random(35);
  for (const std::uint32_t kind : {0U, 1U, 2U, 3U}) {
    const bool value = kind % 2 == 1;
    const WeightedThresholdLaw law{
        703, {{2, 9, 500}, {1, 5, 400}, {700, 2, 100}}, 5, 1, kind < 2 ? 65'536U : 8192U};
    const auto levels = std::make_shared<const InnovationLevels>(law);
    const SignVector noise = some_noise(law, random);
    InnovationDefinition definition(law, noise);
    InnovationRandomizer runs(levels, noise);
    const auto expect_run = [&](std::uint32_t count) {
      const SymbolBits symbols = runs.randomize_run(value, count, [](std::uint32_t) { return 0U; });
      for (std::uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(definition.next(value, 0), symbol_at(symbols, i)) << i;
      }
      EXPECT_TRUE(ends_after(symbols, count));
    };
    for (const std::uint32_t count : {3U, 64U, 64U, 63U, 64U, 1U, 64U, 30U, 64U, 64U, 64U, 64U}) {
      expect_run(count);
    }
  }
}

TEST(InnovationRandomizer, UsedNoiseIsErased) {
  SeededSource random(33);
  const WeightedThresholdLaw law{12, {{2, 9, 500}, {2, 5, 400}, {8, 2, 100}}, 5, 1};
  SignVector noise(12);
  for (std::uint32_t j = 0; j < 12; ++j) noise.set_minus(j, true);
  InnovationRandomizer randomizer(std::make_shared<const InnovationLevels>(law), noise);
  for (std::uint32_t t = 1; t <= 12; ++t) {
    randomizer.randomize(t % 5 == 0, 0);
    EXPECT_EQ(randomizer.noise().count_minus(), 12 - randomizer.num_used());
  }
  EXPECT_EQ(randomizer.num_used(), 12U);
}

TEST(InnovationRandomizer, UsedSilenceIsErased) {
  const WeightedThresholdLaw law{12, {{2, 9, 500}, {2, 5, 400}, {8, 2, 100}}, 5, 1, 1024};
  for (const std::uint32_t run : {1U, 4U}) {
    SignVector noise(12, true);
    for (std::uint32_t j = 0; j < 12; ++j) noise.set(j, Sign::kZero);
    InnovationRandomizer randomizer(std::make_shared<const InnovationLevels>(law), noise);
    for (std::uint32_t t = 0; t < 12; t += run) {
      const SymbolBits symbols =
          randomizer.randomize_run(t >= 8, run, [](std::uint32_t) { return 0U; });
      EXPECT_EQ(symbols.silent, (1U << run) - 1);
      EXPECT_EQ(randomizer.noise().count_zeros(0, 12), 12 - randomizer.num_used());
    }
    EXPECT_EQ(randomizer.num_used(), 12U);
  }
}

TEST(InnovationRandomizer, RefusesAMemoryThatNoneCanHave) {
  const WeightedThresholdLaw law{12, {{2, 9, 500}, {2, 5, 400}, {8, 2, 100}}, 5, 1};
  const InnovationLevels levels(law);
  const SignVector noise(12);
  const InnovationMemory good{{1, 0, 3}, SignVector(2)};
  const auto possible = [&](const InnovationMemory& memory, std::uint32_t periods) {
    return InnovationRandomizer::is_possible(levels, noise, memory, periods);
  };
  EXPECT_TRUE(possible(good, 4));
  EXPECT_FALSE(possible(good, 3));
  EXPECT_FALSE(possible({{3, 0, 0}, SignVector(2)}, 9));
  EXPECT_FALSE(possible({{1, 0}, SignVector(2)}, 9));
  EXPECT_FALSE(possible({{1, 0, 3}, SignVector(3)}, 9));
  InnovationMemory early{{1, 0, 0}, SignVector(2)};
  early.held.set_minus(1, true);
  EXPECT_TRUE(possible(early, 2));
  EXPECT_FALSE(possible(early, 1));
  SignVector unused = noise;
  unused.set_minus(0, true);
  EXPECT_FALSE(InnovationRandomizer::is_possible(levels, unused, good, 4));
  for (const std::uint32_t size : {11U, 13U}) {
    EXPECT_FALSE(InnovationRandomizer::is_possible(levels, SignVector(size), good, 4));
  }
  // A noise of symbols fits a sparse law and no other, and its used ones are neither minus nor
  // silent.
  WeightedThresholdLaw sparse_law = law;
  sparse_law.nonzero = 4096;
  const InnovationLevels quiet(sparse_law);
  SignVector symbols(12, true);
  EXPECT_TRUE(InnovationRandomizer::is_possible(quiet, symbols, good, 4));
  EXPECT_FALSE(InnovationRandomizer::is_possible(levels, symbols, good, 4));
  EXPECT_FALSE(InnovationRandomizer::is_possible(quiet, noise, good, 4));
  symbols.set(1, Sign::kZero);
  EXPECT_TRUE(InnovationRandomizer::is_possible(quiet, symbols, good, 4));
  symbols.set(0, Sign::kZero);
  EXPECT_FALSE(InnovationRandomizer::is_possible(quiet, symbols, good, 4));
}

// Every vector has its exact probability, T / Q on the high side.
TEST(WeightedSampler, EveryVectorHasItsProbability) {
  const WeightedThresholdLaw law{6, {{2, 5, 9}, {1, 3, 8}, {3, 1, 7}}, 4, std::uint64_t{11} << 60};
  const LawSampler sampler = *LawSampler::create(law);
  SeededSource random(34);
  constexpr int kDraws = 400'000;
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < kDraws; ++i) ++seen[sampler.draw(random)->word(0)];
  int high_vectors = 0;
  const auto is_high = [&](std::uint64_t minus) {
    const int weights[] = {5, 5, 3, 1, 1, 1};
    int score = 0;
    for (int j = 0; j < 6; ++j) score += (minus >> j) & 1U ? -weights[j] : weights[j];
    return score >= 4;
  };
  for (std::uint64_t minus = 0; minus < 64; ++minus) high_vectors += is_high(minus) ? 1 : 0;
  for (std::uint64_t minus = 0; minus < 64; ++minus) {
    const double p = is_high(minus) ? 11.0 / 16 / high_vectors : 5.0 / 16 / (64 - high_vectors);
    EXPECT_NEAR(seen[minus], kDraws * p, 5 * std::sqrt(kDraws * p)) << minus;
  }
}

// How long joining takes must not tell the side: with the same vectors, the other side is drawn
// from as many words.
TEST(WeightedSampler, TheNumberOfDrawsDoesNotTellTheSide) {
  class Counted final : public RandomSource {
   public:
    Counted(std::uint64_t seed, std::uint64_t first) : words_(seed), first_(first) {}
    bool fill(std::span<std::uint64_t> words) override {
      const bool filled = words_.fill(words);
      if (count == 0 && !words.empty()) words[0] = first_;
      count += words.size();
      return filled;
    }
    std::size_t count = 0;

   private:
    SeededSource words_;
    std::uint64_t first_;
  };
  const WeightedThresholdLaw law{
      70, {{2, 9, 9}, {8, 4, 8}, {60, 1, 7}}, 14, std::uint64_t{1} << 63};
  const LawSampler sampler = *LawSampler::create(law);
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    Counted loud(seed, 0), rest(seed, ~std::uint64_t{0});
    const SignVector a = *sampler.draw(loud), b = *sampler.draw(rest);
    EXPECT_EQ(loud.count, rest.count);
    EXPECT_NE(a, b);
  }
}

}  // namespace
}  // namespace futurerand
