// The draws of joining against the definitions, exactly: at the edges of the words used by devices,
// and by every tape of short words, at epsilon 1, 2, 4 and 8.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/law/optimal.hpp"
#include "futurerand/core/randomizer/law_draw.hpp"
#include "futurerand/core/randomizer/test/tapes.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/device/join_draw.hpp"
#include "futurerand/device/test/definitions.hpp"
#include "futurerand/device/test/innovation_plans.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand {
namespace {

using namespace definitions;

// Gives the words of a script, then seeded ones.
class ScriptThenSeeded final : public RandomSource {
 public:
  explicit ScriptThenSeeded(std::vector<std::uint64_t> script) : script_(std::move(script)) {}
  bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) word = at_ < script_.size() ? script_[at_++] : rest_.next();
    return true;
  }

 private:
  std::vector<std::uint64_t> script_;
  std::size_t at_ = 0;
  testing_sources::SeededSource rest_{5};
};

// The words before those of the law: the view, and the start of a snapshot.
std::vector<std::uint64_t> words_of_view(const Plan& plan, std::uint32_t view, bool last_of_it) {
  std::uint64_t pick = 0;
  for (std::uint32_t v = 0; v < view; ++v) pick += plan.views[v].weight;
  if (last_of_it) pick += plan.views[view].weight - 1;
  std::vector<std::uint64_t> words = {pick};
  if (plan.views[view].kind == ViewKind::kSnapshot) words.push_back(0);
  return words;
}

// The side of a vector in its law, and the bound of the words that take this side.
struct SideOf {
  const Symbols& noise;
  std::pair<bool, std::uint64_t> operator()(const ThresholdLaw& law) const {
    return {minus_of(noise) <= law.tau, law.low_side};
  }
  std::pair<bool, std::uint64_t> operator()(const SparseLaw& law) const {
    return {sum_of(noise) > static_cast<int>(law.tau), law.high_side};
  }
  std::pair<bool, std::uint64_t> operator()(const WeightedThresholdLaw& law) const {
    const bool loud = !noise.empty() && score_of(law, noise) >= static_cast<int>(law.theta);
    return {loud, law.high_side};
  }
  std::pair<bool, std::uint64_t> operator()(const PulseLaw& law) const {
    const auto hit = [&](std::uint32_t j) { return !noise.empty() && noise[j] > 0; };
    bool hits = false;
    for (std::uint32_t j = 0; j < law.window; ++j) hits |= hit(j);
    return {hits, law.high_side};
  }
  template <typename Other>
  std::pair<bool, std::uint64_t> operator()(const Other&) const {
    return {false, 0};
  }
};

// Returns the number of tried sides. Each view's sides are tried with the last word on the side and
// the first word beyond.
int expect_sides(const Plan& plan) {
  SCOPED_TRACE(std::string(name_of(plan.protocol)) + " at " + plan.epsilon.text());
  const CertifiedPlan certified = *CertifiedPlan::create(plan);
  int sides = 0;
  for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
    const std::uint64_t edge = std::visit(SideOf{Symbols()}, plan.views[view].law).second;
    if (edge == 0) continue;
    for (const bool last : {false, true}) {
      for (const bool below : {true, false}) {
        std::vector<std::uint64_t> script = words_of_view(plan, view, last);
        script.push_back(below ? edge - 1 : edge);
        ScriptThenSeeded source(script);
        const Result<JoinDraw> drawn = JoinDraw::draw(certified, source);
        EXPECT_TRUE(drawn && drawn->view == view);
        const Symbols noise = symbols_of(drawn->noise);
        EXPECT_EQ(std::visit(SideOf{noise}, plan.views[view].law).first, below) << view;
        ++sides;
      }
    }
  }
  return sides;
}

TEST(JoinEnumeration, EveryViewDrawsFromItsOwnLaw) {
  int sides = 0;
  for (const Protocol protocol : {Protocol::kHybrid, Protocol::kOptimal, Protocol::kSnapshot}) {
    for (const char* epsilon : kEpsilons) {
      for (const std::uint32_t changes : {1U, 2U, 3U, 5U, 8U}) {
        for (const Period periods : {8U, 64U, 360U}) {
          sides += expect_sides(*make_plan(protocol, periods, changes, *Epsilon::parse(epsilon)));
        }
      }
    }
  }
  EXPECT_GT(sides, 1000);
}

TEST(JoinEnumeration, InnovationAreDrawnFromTheirLaw) {
  int quiet = 0;
  for (const char* epsilon : kEpsilons) {
    for (const std::uint32_t changes : {1U, 3U}) {
      const Plan plan = *make_plan(Protocol::kInnovation, 40, changes, *Epsilon::parse(epsilon));
      EXPECT_EQ(expect_sides(plan), 4);
      quiet += Definition::silent(plan.views.front().law) ? 1 : 0;
    }
  }
  EXPECT_GT(quiet, 0);
}

TEST(JoinEnumeration, PulsesAreDrawnFromTheirLaw) {
  for (const char* epsilon : kEpsilons) {
    const Plan plan = *make_plan(Protocol::kPulse, 40, 1, *Epsilon::parse(epsilon));
    EXPECT_EQ(expect_sides(plan), 4 * static_cast<int>(plan.views.size()));
  }
}

// Adjacent views with the same law share a sampler; no others do.
TEST(JoinEnumeration, EveryViewHasTheSamplerOfItsLaw) {
  const Epsilon budget = *Epsilon::parse("1");
  const Plan made = *make_plan(Protocol::kHybrid, 1024, 4, budget);
  ASSERT_GE(made.views.size(), 4U);
  for (std::uint32_t other = 0; other < 16; ++other) {
    Plan plan = made;
    plan.views.resize(4);
    for (std::uint32_t v = 0; v < 4; ++v) {
      plan.views[v].law = optimal(4, *Epsilon::parse((other >> v) % 2 == 1 ? "0.7" : "1"));
    }
    const Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
    ASSERT_TRUE(certified) << certified.error().message;
    for (std::uint32_t v = 0; v < 4; ++v) {
      EXPECT_EQ(certified->sampler(v).law(), plan.views[v].law) << other << " " << v;
    }
  }
}

// Returns the same plan with thresholds of few bits, each rounded towards the smaller loss.
Plan with_short_words(Plan plan, int word_bits) {
  const int drop = 64 - word_bits;
  const std::uint64_t most = (std::uint64_t{1} << word_bits) - 1;
  const auto low = [&](std::uint64_t t) {
    return std::clamp(t >> drop, std::uint64_t{1}, most) << drop;
  };
  const auto high = [&](std::uint64_t t) {
    return std::clamp((t >> drop) + 1, std::uint64_t{1}, most / 2) << drop;
  };
  for (View& view : plan.views) {
    view.weight = plan.protocol == Protocol::kHybrid ? 1 + view.order % 2 : 1;
    if (auto* product = std::get_if<ProductLaw>(&view.law)) product->flip = high(product->flip);
    if (auto* single = std::get_if<SingleLaw>(&view.law)) single->flip = high(single->flip);
    if (auto* threshold = std::get_if<ThresholdLaw>(&view.law)) {
      threshold->low_side = low(threshold->low_side);
    }
    if (auto* quiet = std::get_if<SparseLaw>(&view.law)) {
      quiet->nonzero = 1U << 15;  // one of two units, or two of four
      quiet->high_side = low(quiet->high_side);
    }
    if (auto* weighted = std::get_if<WeightedThresholdLaw>(&view.law)) {
      weighted->high_side = low(weighted->high_side);
    }
    if (auto* pulse = std::get_if<PulseLaw>(&view.law)) pulse->high_side = low(pulse->high_side);
  }
  return plan;
}

template <int kWordBits>
void expect_exact_joining(const Plan& plan, std::uint32_t max_words, const std::string& what) {
  SCOPED_TRACE(what);
  const Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
  ASSERT_TRUE(certified) << certified.error().message;
  const test::Tapes tapes(kWordBits, max_words);
  struct Sum {
    std::map<Symbols, std::uint64_t> weights;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sum> drawn;  // by view and start
  std::uint64_t decided = 0;
  tapes.for_each(
      [&](RandomSource& source) { return JoinDraw::draw<kWordBits>(*certified, source); },
      [&](const Result<JoinDraw>& draw, std::uint64_t weight) {
        if (!draw) return;
        drawn[{draw->view, draw->snapshot_index}].weights[symbols_of(draw->noise)] += weight;
        decided += weight;
      });
  EXPECT_GT(decided, tapes.total() / 16);
  for (const auto& [key, sum] : drawn) {
    const Law& law = plan.views[key.first].law;
    // Tapes are cut off, so the vectors of one side appear in the proportion of their
    // probabilities.
    std::map<bool, std::pair<Symbols, std::uint64_t>> first_of;
    for (const Symbols& noise :
         all_symbols(Definition::num_signs_of(law), Definition::silent(law))) {
      const auto found = sum.weights.find(noise);
      const std::uint64_t weight = found == sum.weights.end() ? 0 : found->second;
      const Ratio chance = law_chance(law, noise);
      if (chance.over == 0) {
        EXPECT_EQ(weight, 0U);
        continue;
      }
      const bool side = std::visit(SideOf{noise}, law).first;
      const auto& [like, like_weight] = first_of.try_emplace(side, noise, weight).first->second;
      EXPECT_EQ(Ratio{weight} * law_chance(law, like), Ratio{like_weight} * chance) << key.first;
    }
  }
  // Every view and every start is drawn.
  std::size_t expected = 0;
  for (const View& view : plan.views) {
    expected += view.kind == ViewKind::kSnapshot ? Schedule(view, plan.num_periods).stride : 1;
  }
  EXPECT_EQ(drawn.size(), expected);
}

TEST(JoinEnumeration, JoiningDrawsWhatTheLawsSay) {
  for (const char* epsilon : kEpsilons) {
    for (const Protocol protocol : {Protocol::kHybrid, Protocol::kOptimal, Protocol::kSnapshot,
                                    Protocol::kErlingsson, Protocol::kInnovation}) {
      const Result<Plan> plan = make_plan(protocol, 4, 2, *Epsilon::parse(epsilon));
      if (!plan) continue;  // a protocol's own range of epsilon
      // Innovation take a word for the view, one for the side and one for each of two vectors.
      expect_exact_joining<4>(with_short_words(*plan, 4), protocol == Protocol::kInnovation ? 4 : 5,
                              std::string(name_of(protocol)) + " at " + epsilon);
    }
  }
  // A set of one pulse takes a word, if it is not drawn again.
  PulseLaw pulse{4, 1, 1, 1};
  pulse.high_side = largest_high_side(pulse, exp_below(Epsilon::kNanosPerUnit));
  const Plan pulses{
      Protocol::kPulse, 3, 1, *Epsilon::parse("1"), {{ViewKind::kPulse, 0, 1, pulse}}};
  expect_exact_joining<3>(with_short_words(pulses, 3), 7, "pulse");
  // A vector of these takes three words.
  const Plan quiet = innovation_plan_of({{1, 5, 1}, {1, 2, 1}}, 4, 1, *Epsilon::parse("4"), 2);
  expect_exact_joining<2>(with_short_words(quiet, 2), 8, "quiet news");
}

}  // namespace
}  // namespace futurerand
