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

// Returns a law with any valid gaps: with and without start levels and change levels, sparse or
// not.
WeightedThresholdLaw some_law(SeededSource& random,
                              std::uint64_t largest_gap = std::uint64_t{1} << 40) {
  const bool sparse = next(random) % 2 == 0;
  WeightedThresholdLaw law{
      0, {}, 1, std::uint64_t{3} << 62, SparseLaw::kUnits >> (sparse ? 2 + next(random) % 6 : 0)};
  const auto lags = static_cast<std::uint32_t>(1 + next(random) % 6);
  const auto kinds = next(random) % 3;  // changes, changes and starts, starts
  const std::uint64_t least = 1 + next(random) % largest_gap;
  const auto add = [&](std::uint64_t most_count) {
    const auto count = static_cast<std::uint32_t>(1 + next(random) % most_count);
    law.levels.push_back({count, 1, least + next(random) % (largest_gap - least + 1)});
    law.num_signs += count;
  };
  if (kinds != 2) {
    for (std::uint32_t j = 0; j < lags; ++j) add(5);
  }
  if (kinds != 0) {
    law.start_levels = lags;
    for (std::uint32_t j = 0; j < lags; ++j) add(2);
  }
  add(12);
  law.levels.back().gap = least;
  EXPECT_TRUE(law.num_signs < law.levels.size() || law.validate())
      << law.validate().error().message;
  return law;
}

// Returns any possible noise of the law; every other symbol of a sparse one is nonzero.
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

using Levels = std::shared_ptr<const InnovationLevels>;

InnovationRandomizer joined(const Levels& levels, const SignVector& noise,
                            std::uint32_t phase = 0) {
  return InnovationRandomizer(levels, noise, InnovationMemory(*levels, phase));
}

// A value that stays, moves a little, or jumps.
std::uint32_t moved(std::uint32_t value, std::uint32_t scale, std::uint64_t rarity,
                    SeededSource& random) {
  if (next(random) % rarity != 0) return value;
  const std::uint64_t kind = scale == 1 ? 0 : next(random) % 4;
  if (kind == 0) return value > 0 ? 0 : scale;
  if (kind == 1) return scale / 2;
  if (kind == 2) return static_cast<std::uint32_t>(next(random) % (scale + 1));
  return std::min(scale, value + static_cast<std::uint32_t>(next(random) % 999));
}

void expect_run_of_the_definition(const WeightedThresholdLaw& law, std::uint32_t scale,
                                  SeededSource& random) {
  const auto levels = std::make_shared<const InnovationLevels>(law, scale);
  const SignVector noise = some_noise(law, random);
  const auto phase = static_cast<std::uint32_t>(next(random) % scale);
  InnovationDefinition definition(law, noise, scale, phase);
  InnovationRandomizer randomizer = joined(levels, noise, phase);
  // Values range from a constant one to one with a change every other period. There are more of
  // them than the levels have signs.
  const std::uint64_t rarity = 2 + next(random) % 30;
  std::uint32_t value = next(random) % 2 == 0 ? 0 : scale;
  for (std::uint32_t t = 0; t < law.num_signs + 5; ++t) {
    value = moved(value, scale, rarity, random);
    const auto unit = static_cast<std::uint32_t>(next(random));
    ASSERT_EQ(randomizer.randomize(value, unit), definition.next(value, unit)) << t;
    // The randomizer is saved and loaded again after every period.
    const InnovationMemory memory = randomizer.memory();
    ASSERT_TRUE(InnovationRandomizer::is_possible(*levels, randomizer.noise(), memory, t + 1));
    randomizer = InnovationRandomizer(levels, randomizer.noise(), memory);
    ASSERT_EQ(randomizer.memory(), memory);
  }
}

void expect_runs_of_the_definition(std::uint64_t seed, std::uint64_t largest_gap) {
  SeededSource random(seed);
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(round);
    const WeightedThresholdLaw law = some_law(random, largest_gap);
    expect_run_of_the_definition(law, InnovationLevels::kYesNo, random);
    expect_run_of_the_definition(law, InnovationLevels::kNumber, random);
  }
}

TEST(InnovationRandomizer, DoesWhatTheDefinitionSays) {
  expect_runs_of_the_definition(31, std::uint64_t{1} << 40);
}

// With gaps of a few sizes a target is often exactly a gap, and several gaps are the same.
TEST(InnovationRandomizer, DoesSoWhereGapsAreEqual) { expect_runs_of_the_definition(36, 6); }

TEST(InnovationRandomizer, ARunEqualsOnePeriodAtATime) {
  SeededSource random(32);
  for (int round = 0; round < 300; ++round) {
    const WeightedThresholdLaw law = some_law(random);
    const std::uint32_t scale = round % 2 == 0 ? 1 : InnovationLevels::kNumber;
    const auto levels = std::make_shared<const InnovationLevels>(law, scale);
    const SignVector noise = some_noise(law, random);
    InnovationRandomizer single = joined(levels, noise), runs = joined(levels, noise);
    std::uint32_t value = 0;
    for (int run = 0; run < 12; ++run) {
      value = next(random) % 3 == 0 ? scale / 2 : next(random) % 2 == 0 ? scale : 0;
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

// A steady device sends 64 periods at once, from any position in the noise's words.
TEST(InnovationRandomizer, WholeWordsOfSettledPeriods) {
  SeededSource random(35);
  for (const std::uint32_t kind : {0U, 1U, 2U, 3U}) {
    const bool value = kind % 2 == 1;
    WeightedThresholdLaw law{
        703, {{2, 9, 500}, {1, 5, 400}, {700, 2, 100}}, 5, 1, kind < 2 ? 65'536U : 8192U};
    if (kind == 1) law = {705, {{2, 9, 500}, {1, 5, 400}, {700, 2, 100}}, 5, 1};
    if (kind == 1) {
      law.levels.insert(law.levels.begin() + 2, {{1, 7, 300}, {1, 3, 250}});
      law.start_levels = 2;
    }
    const auto levels = std::make_shared<const InnovationLevels>(law);
    const SignVector noise = some_noise(law, random);
    InnovationDefinition definition(law, noise);
    InnovationRandomizer runs = joined(levels, noise);
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
  InnovationRandomizer randomizer = joined(std::make_shared<const InnovationLevels>(law), noise);
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
    InnovationRandomizer randomizer = joined(std::make_shared<const InnovationLevels>(law), noise);
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
  const auto memory_of = [](std::vector<std::uint32_t> used, std::vector<std::uint32_t> held,
                            std::uint32_t phase = 0, std::uint32_t age = 2) {
    InnovationMemory memory;
    memory.used = std::move(used);
    memory.held = std::move(held);
    memory.phase = phase;
    memory.age = age;
    return memory;
  };
  const InnovationMemory good = memory_of({1, 0, 3}, {0, 1});
  const auto possible = [&](const InnovationMemory& memory, std::uint32_t periods) {
    return InnovationRandomizer::is_possible(levels, noise, memory, periods);
  };
  EXPECT_TRUE(possible(good, 4));
  EXPECT_FALSE(possible(good, 3));
  EXPECT_FALSE(possible(memory_of({3, 0, 0}, {0, 0}), 9));
  EXPECT_FALSE(possible(memory_of({1, 0}, {0, 0}), 9));
  EXPECT_FALSE(possible(memory_of({1, 0, 3}, {0, 0, 0}), 9));
  EXPECT_FALSE(possible(memory_of({1, 0, 3}, {0}), 9));
  EXPECT_FALSE(possible(memory_of({1, 0, 3}, {2, 0}), 9));
  EXPECT_TRUE(possible(memory_of({1, 0, 0}, {1}), 1));
  EXPECT_FALSE(possible(memory_of({1, 0, 0}, {1, 1}), 1));
  // Only numbers have a phase, and an age.
  EXPECT_FALSE(possible(memory_of({1, 0, 3}, {0, 1}, 1), 4));
  EXPECT_FALSE(possible(memory_of({1, 0, 3}, {0, 1}, 0, 1), 4));
  const InnovationLevels number(law, InnovationLevels::kNumber);
  const auto possible_number = [&](const InnovationMemory& memory, std::uint32_t periods) {
    return InnovationRandomizer::is_possible(number, noise, memory, periods);
  };
  EXPECT_TRUE(possible_number(memory_of({1, 0, 3}, {65'536, 1}, 65'535, 1), 4));
  EXPECT_FALSE(possible_number(memory_of({1, 0, 3}, {65'537, 1}, 65'535, 1), 4));
  EXPECT_FALSE(possible_number(memory_of({1, 0, 3}, {65'536, 1}, 65'536, 1), 4));
  EXPECT_FALSE(possible_number(memory_of({1, 0, 3}, {65'536, 1}, 0, 3), 4));
  EXPECT_FALSE(possible_number(memory_of({1, 0, 0}, {65'536}, 0, 1), 1));
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
