// The oracle is the definition: every output of the law with its weight, read through the tapes for
// every input.
#include "futurerand/rivals/exsub.hpp"

#include <cmath>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/populations/philox.hpp"
#include "futurerand/simulator/simulation.hpp"

namespace futurerand::exsub {
namespace {

using Symbols = std::vector<std::int8_t>;

struct Size {
  IntervalIndex intervals;
  std::uint32_t changes;
  std::uint32_t symbols;
  double epsilon;
};

// Calls visit(vector) for every vector of this length over -1, 0 and +1.
template <typename Visit>
void for_each_vector(std::size_t length, Visit&& visit) {
  Symbols vector(length, -1);
  while (true) {
    visit(vector);
    std::size_t i = 0;
    for (; i < length && vector[i] == 1; ++i) vector[i] = -1;
    if (i == length) return;
    ++vector[i];
  }
}

// Every pair of tapes with its probability.
std::map<std::pair<Symbols, Symbols>, double> enumerate(const Size& size) {
  std::map<std::pair<Symbols, Symbols>, double> law;
  double total = 0;
  for_each_vector(size.intervals + size.changes, [&](const Symbols& slots) {
    std::uint32_t symbols = 0;
    for (const std::int8_t symbol : slots) symbols += symbol != 0;
    if (symbols != size.symbols) return;
    const auto split = slots.begin() + size.changes;
    const bool hit = std::count(slots.begin(), split, 1) > 0;
    const double weight = hit ? std::exp(size.epsilon) : 1;
    law[{Symbols(slots.begin(), split), Symbols(split, slots.end())}] = weight;
    total += weight;
  });
  for (auto& [tapes, probability] : law) probability /= total;
  return law;
}

using Outputs = std::map<Symbols, double>;

Outputs outputs_of(const std::map<std::pair<Symbols, Symbols>, double>& law, const Symbols& input) {
  Outputs outputs;
  for (const auto& [noise, probability] : law) {
    Tapes tapes(noise.first, noise.second);
    Symbols output;
    for (const std::int8_t change : input) {
      output.push_back(static_cast<std::int8_t>(tapes.next(change)));
    }
    outputs[output] += probability;
  }
  return outputs;
}

Outputs prefixes(const Outputs& outputs, std::size_t length) {
  Outputs sums;
  for (const auto& [output, probability] : outputs) {
    sums[Symbols(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(length))] +=
        probability;
  }
  return sums;
}

class ExSubInputs : public testing::TestWithParam<Size> {};

TEST_P(ExSubInputs, LosesEpsilonExactlyAndIsUnbiased) {
  const Size size = GetParam();
  const auto law = enumerate(size);
  const Law stated = Law::create(size.intervals, size.changes, size.symbols, size.epsilon);
  std::map<Symbols, Outputs> all;
  for_each_vector(size.intervals, [&](const Symbols& input) {
    all[input] = outputs_of(law, input);
    const auto changes = static_cast<std::uint32_t>(size.intervals) -
                         static_cast<std::uint32_t>(std::count(input.begin(), input.end(), 0));
    if (changes > size.changes) return;
    for (std::size_t j = 0; j < size.intervals; ++j) {
      double plus = 0, minus = 0;
      for (const auto& [output, probability] : all[input]) {
        plus += output[j] > 0 ? probability : 0;
        minus += output[j] < 0 ? probability : 0;
      }
      EXPECT_NEAR(plus - minus, stated.gap() * input[j], 1e-12);
      const double spoken = input[j] == 0 ? 2 * stated.zero : stated.own + stated.wrong;
      EXPECT_NEAR(plus + minus, spoken, 1e-12);
    }
  });
  double largest = 0;
  for (const auto& [input, outputs] : all) {
    for (const auto& [other, theirs] : all) {
      ASSERT_EQ(outputs.size(), theirs.size());  // every output is possible
      for (const auto& [output, probability] : outputs) {
        largest = std::max(largest, std::log(probability / theirs.at(output)));
      }
    }
  }
  EXPECT_NEAR(largest, size.epsilon, 1e-9);
}

TEST_P(ExSubInputs, ReportsFromThePastOnly) {
  const Size size = GetParam();
  const auto law = enumerate(size);
  for (std::size_t length = 1; length < size.intervals; ++length) {
    std::map<Symbols, Outputs> by_prefix;
    for_each_vector(size.intervals, [&](const Symbols& input) {
      const Outputs now = prefixes(outputs_of(law, input), length);
      const Symbols past(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(length));
      const auto [known, is_new] = by_prefix.emplace(past, now);
      if (is_new) return;
      for (const auto& [output, probability] : now) {
        EXPECT_NEAR(probability, known->second[output], 1e-12);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Small, ExSubInputs,
                         testing::Values(Size{1, 1, 1, 1}, Size{2, 2, 2, 1}, Size{3, 1, 1, 0.5},
                                         Size{3, 1, 2, 2}, Size{4, 2, 2, 1}, Size{4, 2, 3, 1}));

// The choices of the protocol are private too, even with very few intervals.
TEST(ExSubLaw, LosesEpsilonAtMost) {
  for (const IntervalIndex intervals : {1U, 2U, 3U}) {
    for (std::uint32_t changes = 1; changes <= intervals; ++changes) {
      for (const double epsilon : {0.5, 1.0, 3.0}) {
        const Law law = Law::best(intervals, changes, epsilon);
        EXPECT_GT(law.gap(), 0);
        EXPECT_LE(law.num_symbols, intervals);  // then the loss is epsilon exactly
      }
    }
  }
}

TEST(ExSubLaw, IsTheBestOfAll) {
  const auto error = [](const Law& law) {
    return (law.num_intervals * 2 * law.zero + law.num_changes * (law.own + law.wrong)) /
           (law.gap() * law.gap());
  };
  for (const double epsilon : {0.5, 1.0, 2.0, 4.0}) {
    const Law best = Law::best(64, 4, epsilon);
    for (std::uint32_t symbols = 1; symbols < 38; ++symbols) {
      EXPECT_LE(error(best), error(Law::create(64, 4, symbols, epsilon)) * (1 + 1e-12));
    }
  }
}

TEST(ExSubTapes, HaveTheLawOfTheDefinition) {
  const Size size{3, 2, 2, 1};
  auto law = enumerate(size);
  ASSERT_EQ(law.size(), 40U);
  const Law drawn = Law::create(size.intervals, size.changes, size.symbols, size.epsilon);
  PhiloxSource source(SimulationKey::from_seed(3), Stream::kDevice, 0, 0);
  UniformBits bits(source);
  constexpr int kDraws = 200'000;
  std::map<std::pair<Symbols, Symbols>, double> seen;
  Tapes tapes;
  for (int i = 0; i < kDraws; ++i) {
    tapes.draw(drawn, bits);
    seen[{Symbols(tapes.changes().begin(), tapes.changes().end()),
          Symbols(tapes.zeros().begin(), tapes.zeros().end())}] += 1;
  }
  double chi_square = 0;
  for (const auto& [noise, probability] : law) {
    const double expected = kDraws * probability;
    chi_square += std::pow(seen[noise] - expected, 2) / expected;
  }
  EXPECT_EQ(seen.size(), 40U);
  EXPECT_LT(chi_square, 95);  // 39 degrees of freedom: a correct program misses it once in 10^6
}

// The values come from an independent program.
TEST(ExSubPrediction, IsThatOfAnIndependentProgram) {
  const auto predicted = [](std::uint32_t changes, const char* epsilon) {
    const auto protocol =
        make_simulated_protocol("exsub", {100'000, 256, changes, *Epsilon::parse(epsilon)});
    const std::vector<double> variances = *(*protocol)->predicted_variances();
    return std::sqrt(std::accumulate(variances.begin(), variances.end(), 0.0) / 256);
  };
  EXPECT_NEAR(predicted(4, "1") / 9615, 1, 0.001);
  EXPECT_NEAR(predicted(4, "2") / 4297, 1, 0.001);
  EXPECT_NEAR(predicted(4, "4") / 1989, 1, 0.001);
  EXPECT_NEAR(predicted(1, "1") / 4623, 1, 0.001);
  EXPECT_NEAR(predicted(1, "2") / 2161, 1, 0.001);
  EXPECT_NEAR(predicted(1, "4") / 905, 1, 0.001);
}

// The same at full size, simulated. Eight trials of 256 correlated periods know an rmse to 7%; the
// long tests ask for 3% of 60 trials.
TEST(ExSubSimulated, ErrsAsAnIndependentProgramSays) {
  const SimulationKey key = SimulationKey::from_seed(17);
  const Population population = *Population::named("uniform", {100'000, 256, 4}, key);
  const auto made = make_simulated_protocol("exsub", {100'000, 256, 4, *Epsilon::parse("2")});
  SimulationSettings settings;
  settings.key = key;
  settings.trials = 8;
  settings.threads = 2;
  const SimulationResult result =
      *simulate(**made, population, true_counts(population, Workers(2)), settings);
  EXPECT_NEAR(result.rmse / 4297, 1, 0.1);
}

}  // namespace
}  // namespace futurerand::exsub
