// Devices end to end against the definitions, exactly. The tests run every noise vector, every
// coin, every history of values (also with more than k changes) and every period of joining, at
// epsilon 1, 2, 4 and 8.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/plan/test/changes_for.hpp"
#include "futurerand/core/randomizer/test/sources.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/device/test/definitions.hpp"

namespace futurerand {
namespace {

using namespace definitions;
using test::ScriptedSource;

// Returns words that give these symbols as the coins of these indices. For a sparse law each symbol
// is the unit at one of the two ends of its units.
ScriptedSource coin_words(const Law& law, std::uint32_t stride,
                          const std::vector<std::uint32_t>& indices, const Symbols& coins,
                          bool upper_end) {
  std::vector<std::uint64_t> words;
  const auto* quiet = std::get_if<SparseLaw>(&law);
  const std::uint32_t per_word = quiet != nullptr ? 4 : stride > 1 ? 1 : 64;
  std::uint32_t last_word = UINT32_MAX;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint32_t word = (indices[i] - 1) / per_word;
    // Bits without a coin are set: they must not matter.
    if (word != last_word) words.push_back(~std::uint64_t{0});
    last_word = word;
    const std::uint32_t place = (indices[i] - 1) % per_word;
    if (quiet == nullptr) {
      const std::uint64_t bit = std::uint64_t{1} << place;
      words.back() = coins[i] < 0 ? words.back() | bit : words.back() & ~bit;
      continue;
    }
    const std::uint32_t r = quiet->nonzero;
    const std::uint32_t first = coins[i] < 0 ? 0 : coins[i] > 0 ? r / 2 : r;
    const std::uint32_t last = coins[i] < 0 ? r / 2 - 1 : coins[i] > 0 ? r - 1 : 65'535;
    const std::uint64_t unit = upper_end ? last : first;
    words.back() &= ~(std::uint64_t{0xffff} << (16 * place));
    words.back() |= unit << (16 * place);
  }
  return ScriptedSource(std::move(words));
}

struct DeviceRun {
  const CertifiedPlan& plan;
  std::uint32_t view;
  Period joined;
  std::uint32_t start;
  std::uint32_t stride;

  // What the device sends, index by index.
  Symbols run(const Symbols& noise, const std::vector<int>& values, const Owed& owed,
              const Symbols& coins, bool upper_end) const {
    const Law& law = plan.plan().views[view].law;
    Device device = *Device::restore(plan, {view, joined, start, PartialSums(joined),
                                            vector_of(noise, Definition::silent(law)), 0, 0});
    ScriptedSource words = coin_words(law, stride, owed.indices, coins, upper_end);
    std::map<std::uint32_t, int> sent;
    for (Period t = joined; t <= plan.plan().num_periods; ++t) {
      const bool fine = device.observe(t, values[t] == 1, words, [&](const SignRun& run) {
        for (std::uint32_t i = 0; i < run.count; ++i) {
          sent[run.first_index + i] = static_cast<int>(run.at(i));
        }
      });
      if (!fine) std::abort();
    }
    Symbols symbols;
    for (const std::uint32_t index : owed.indices) symbols.push_back(sent.at(index));
    EXPECT_EQ(sent.size(), owed.indices.size());
    return symbols;
  }

  void expect_exact(const Fraction& bound) const {
    const Plan& terms = plan.plan();
    const View& shown = terms.views[view];
    const bool silence = Definition::silent(shown.law);
    std::map<Symbols, Ratio> chances;
    for (const Symbols& noise : all_symbols(Definition::num_signs_of(shown.law), silence)) {
      chances[noise] = law_chance(shown.law, noise);
    }
    std::map<Symbols, std::vector<Ratio>> by_output;
    for (std::uint32_t history = 0; history >> (terms.num_periods - joined + 1) == 0; ++history) {
      std::vector<int> values(terms.num_periods + 1);
      for (Period t = joined; t <= terms.num_periods; ++t) {
        values[t] = static_cast<int>((history >> (t - joined)) & 1U);
      }
      const Owed due = owed(shown, terms.num_periods, joined, start, stride, values);
      const auto length = static_cast<std::uint32_t>(due.indices.size());
      std::map<Symbols, Ratio> sent;
      for (const auto& [noise, chance] : chances) {
        bool upper_end = false;
        for (const Symbols& coins : all_symbols(length, silence)) {
          const Ratio weight = chance * null_chance(shown.law, coins);
          if (weight.over == 0) continue;
          Ratio& sum =
              sent.try_emplace(run(noise, values, due, coins, upper_end), Ratio{0}).first->second;
          sum = sum + weight;
          upper_end = !upper_end;
        }
      }
      for (const Symbols& output : all_symbols(length, silence)) {
        const Ratio expected = output_chance(shown.law, due.inputs, output, chances);
        const auto found = sent.find(output);
        EXPECT_EQ(found == sent.end() ? Ratio{0} : found->second, expected);
        by_output[output].push_back(expected);
      }
    }
    for (const auto& [output, ratios] : by_output) {
      for (const Ratio& a : ratios) {
        for (const Ratio& b : ratios) {
          EXPECT_LE(a.over * b.under * bound.denominator, b.over * a.under * bound.numerator);
        }
      }
    }
  }
};

void expect_exact_lives(Protocol protocol, const char* epsilon, Period periods,
                        std::uint32_t changes) {
  SCOPED_TRACE(std::string(name_of(protocol)) + " at " + epsilon);
  const Epsilon budget = *Epsilon::parse(epsilon);
  const Result<Plan> terms =
      make_plan(protocol, periods, changes_for(protocol, changes), budget, initial_for(protocol));
  if (!terms) return;  // a protocol's own range of epsilon
  const CertifiedPlan plan = *CertifiedPlan::create(*terms);
  for (std::uint32_t view = 0; view < terms->views.size(); ++view) {
    const bool snapshot = terms->views[view].kind == ViewKind::kSnapshot;
    const std::uint32_t signs = Definition::num_signs_of(terms->views[view].law);
    const std::uint32_t indices = periods >> terms->views[view].order;
    const bool once = terms->views[view].kind == ViewKind::kOnce;
    const std::uint32_t stride = snapshot ? (indices + signs - 1) / signs : once ? indices : 1;
    for (std::uint32_t start = snapshot ? 1 : 0; start <= (snapshot ? stride : 0); ++start) {
      for (Period joined = 1; joined <= periods; ++joined) {
        DeviceRun{plan, view, joined, start, stride}.expect_exact(exp_below(budget.nanos()));
      }
    }
  }
}

TEST(DeviceEnumeration, LivesAreThoseOfTheDefinitions) {
  for (const char* epsilon : kEpsilons) {
    for (const Protocol protocol : kProtocols) {
      // audit/exhaustive_innovation_test.cpp and exhaustive_pulse_test.cpp have these.
      if (protocol == Protocol::kInnovation || protocol == Protocol::kPulse) continue;
      expect_exact_lives(protocol, epsilon, 3, 2);
    }
    expect_exact_lives(Protocol::kHybrid, epsilon, 5, 1);  // quiet above epsilon 1
    expect_exact_lives(Protocol::kHybrid, epsilon, 5, 2);
  }
  const Plan quiet = *make_plan(Protocol::kHybrid, 5, 1, *Epsilon::parse("4"));
  EXPECT_TRUE(std::any_of(quiet.views.begin(), quiet.views.end(),
                          [](const View& view) { return Definition::silent(view.law); }));
}

}  // namespace
}  // namespace futurerand
