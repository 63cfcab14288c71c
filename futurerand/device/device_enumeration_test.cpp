// Devices end to end against the definitions, exactly: what is drawn on joining, by every tape of
// short words and at the edges of the long ones; and what a whole life sends, for every noise
// vector, every coin, every history of values (those with more than k changes included) and every
// period of joining, at epsilon 1, 2, 4 and 8. Nothing here asks the code under test what is right.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/core/randomizer/law_draw.hpp"
#include "futurerand/core/randomizer/test/tapes.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/device/join_draw.hpp"
#include "futurerand/device/test_sources.hpp"

namespace futurerand {
namespace {

using Symbols = std::vector<int>;

constexpr const char* kEpsilons[] = {"1", "2", "4", "8"};

// ---- The definitions: law.md, quiet.md and the headers of the shapes. ----

const BigInt kTwo64 = BigInt(1) << 64;

// In lowest terms, so that sums stay short.
struct Ratio {
  BigInt over;
  BigInt under = 1;

  static Ratio reduced(const BigInt& over, const BigInt& under) {
    const BigInt common = gcd(over, under);
    return {over / common, under / common};
  }
  friend Ratio operator*(const Ratio& a, const Ratio& b) {
    return reduced(a.over * b.over, a.under * b.under);
  }
  friend Ratio operator+(const Ratio& a, const Ratio& b) {
    if (a.under == b.under) return reduced(a.over + b.over, a.under);
    return reduced(a.over * b.under + b.over * a.under, a.under * b.under);
  }
  friend bool operator==(const Ratio& a, const Ratio& b) {
    return a.over * b.under == b.over * a.under;
  }
};

Ratio of_64_bits(std::uint64_t threshold) { return {threshold, kTwo64}; }
Ratio other(const Ratio& ratio) { return {ratio.under - ratio.over, ratio.under}; }

std::vector<Symbols> all_symbols(std::uint32_t length, bool silence) {
  std::vector<Symbols> all = {{}};
  for (std::uint32_t j = 0; j < length; ++j) {
    std::vector<Symbols> longer;
    for (const Symbols& symbols : all) {
      for (const int symbol : {-1, 0, 1}) {
        if (symbol == 0 && !silence) continue;
        longer.push_back(symbols);
        longer.back().push_back(symbol);
      }
    }
    all = std::move(longer);
  }
  return all;
}

int sum_of(const Symbols& symbols) {
  int sum = 0;
  for (const int symbol : symbols) sum += symbol;
  return sum;
}

std::uint32_t minus_of(const Symbols& symbols) {
  return static_cast<std::uint32_t>(std::count(symbols.begin(), symbols.end(), -1));
}

// A symbol where nothing changes.
Ratio null_chance(const Law& law, int symbol) {
  const auto* quiet = std::get_if<QuietLaw>(&law);
  if (quiet == nullptr) return {symbol == 0 ? 0 : 1, 2};
  return {symbol == 0 ? 65'536 - quiet->speak : quiet->speak / 2, 65'536};
}

Ratio null_chance(const Law& law, const Symbols& symbols) {
  Ratio chance{1};
  for (const int symbol : symbols) chance = chance * null_chance(law, symbol);
  return chance;
}

struct Definition {
  const Symbols& noise;

  Ratio product(std::uint32_t k, std::uint64_t flip, const Symbols& b) const {
    Ratio chance{1};
    for (std::uint32_t j = 0; j < k; ++j) {
      chance = chance * (b[j] < 0 ? of_64_bits(flip) : other(of_64_bits(flip)));
    }
    return chance;
  }
  Ratio operator()(const ProductLaw& law) const { return product(law.num_signs, law.flip, noise); }
  Ratio operator()(const SingleLaw& law) const {
    Ratio chance{0};
    for (const int sign : noise) {
      const Ratio kept = sign < 0 ? of_64_bits(law.flip) : other(of_64_bits(law.flip));
      chance = chance + kept * Ratio{1, BigInt(law.num_signs) << (law.num_signs - 1)};
    }
    return chance;
  }
  Ratio operator()(const AnnulusLaw& law) const {
    const auto kept = [&](const Symbols& b) {
      return law.first_kept <= minus_of(b) && minus_of(b) <= law.last_kept;
    };
    if (kept(noise)) return product(law.num_signs, law.flip, noise);
    Ratio outside{0};
    BigInt vectors = 0;
    for (const Symbols& b : all_symbols(law.num_signs, false)) {
      if (kept(b)) continue;
      outside = outside + product(law.num_signs, law.flip, b);
      ++vectors;
    }
    return outside * Ratio{1, vectors};
  }
  // A side with its probability, then uniform within it; of a quiet law like unchanged symbols.
  Ratio two_sides(const Law& law, const Ratio& first_side, const auto& on_first) const {
    const bool on_its_side = on_first(noise);
    Ratio side{0};
    for (const Symbols& b : all_symbols(num_signs_of(law), silent(law))) {
      if (on_first(b) == on_its_side) side = side + null_chance(law, b);
    }
    const Ratio chance = on_its_side ? first_side : other(first_side);
    return chance * null_chance(law, noise) * Ratio{side.under, side.over};
  }
  Ratio operator()(const ThresholdLaw& law) const {
    return two_sides(law, of_64_bits(law.low_side),
                     [&](const Symbols& b) { return minus_of(b) <= law.tau; });
  }
  Ratio operator()(const QuietLaw& law) const {
    return two_sides(law, of_64_bits(law.loud_side),
                     [&](const Symbols& b) { return sum_of(b) > static_cast<int>(law.tau); });
  }

  static bool silent(const Law& law) { return std::holds_alternative<QuietLaw>(law); }
  static std::uint32_t num_signs_of(const Law& law) {
    return std::visit([](const auto& shape) { return shape.num_signs; }, law);
  }
};

Ratio law_chance(const Law& law, const Symbols& noise) {
  return std::visit(Definition{noise}, law);
}

Symbols symbols_of(const SignVector& signs) {
  Symbols symbols;
  for (std::uint32_t j = 0; j < signs.size(); ++j) symbols.push_back(static_cast<int>(signs.at(j)));
  return symbols;
}

SignVector vector_of(const Symbols& symbols, bool silence) {
  SignVector signs(static_cast<std::uint32_t>(symbols.size()), silence);
  for (std::uint32_t j = 0; j < signs.size(); ++j) signs.set(j, static_cast<Sign>(symbols[j]));
  return signs;
}

// ---- What is drawn on joining, at the edges of the words that devices use. ----

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

// The words before the law's: which view, and where a snapshot starts.
std::vector<std::uint64_t> words_of_view(const Plan& plan, std::uint32_t view, bool last_of_it) {
  std::uint64_t pick = 0;
  for (std::uint32_t v = 0; v < view; ++v) pick += plan.views[v].weight;
  if (last_of_it) pick += plan.views[view].weight - 1;
  std::vector<std::uint64_t> words = {pick};
  if (plan.views[view].kind == ViewKind::kSnapshot) words.push_back(0);
  return words;
}

// On which side of its law a vector lies, and below which word that side is taken.
struct SideOf {
  const Symbols& noise;
  std::pair<bool, std::uint64_t> operator()(const ThresholdLaw& law) const {
    return {minus_of(noise) <= law.tau, law.low_side};
  }
  std::pair<bool, std::uint64_t> operator()(const QuietLaw& law) const {
    return {sum_of(noise) > static_cast<int>(law.tau), law.loud_side};
  }
  template <typename Other>
  std::pair<bool, std::uint64_t> operator()(const Other&) const {
    return {false, 0};
  }
};

TEST(DeviceEnumeration, EveryViewDrawsFromItsOwnLaw) {
  int sides = 0;
  for (const Protocol protocol : {Protocol::kHybrid, Protocol::kOptimal, Protocol::kSnapshot}) {
    for (const char* epsilon : kEpsilons) {
      for (const std::uint32_t changes : {1U, 2U, 3U, 5U, 8U}) {
        for (const Period periods : {8U, 64U, 360U}) {
          const Plan plan = *make_plan(protocol, periods, changes, *Epsilon::parse(epsilon));
          const CertifiedPlan certified = *CertifiedPlan::create(plan);
          for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
            for (const bool last : {false, true}) {
              std::vector<std::uint64_t> words = words_of_view(plan, view, last);
              const std::uint64_t edge = std::visit(SideOf{Symbols()}, plan.views[view].law).second;
              if (edge == 0) continue;
              for (const bool below : {true, false}) {
                std::vector<std::uint64_t> script = words;
                script.push_back(below ? edge - 1 : edge);
                ScriptThenSeeded source(script);
                const Result<JoinDraw> drawn = JoinDraw::draw(certified, source);
                ASSERT_TRUE(drawn);
                ASSERT_EQ(drawn->view, view);
                const Symbols noise = symbols_of(drawn->noise);
                ASSERT_EQ(std::visit(SideOf{noise}, plan.views[view].law).first, below)
                    << name_of(protocol) << " epsilon=" << epsilon << " view=" << view;
                ++sides;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(sides, 1000);
}

// ---- What is drawn on joining, by every tape of short words. ----

// The same plan with thresholds of so few bits, each rounded to where it loses less.
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
    if (auto* quiet = std::get_if<QuietLaw>(&view.law)) {
      quiet->speak = 1U << 15;  // one of two units, or two of four
      quiet->loud_side = low(quiet->loud_side);
    }
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
  EXPECT_GT(decided, tapes.total() / 8);
  for (const auto& [key, sum] : drawn) {
    const Law& law = plan.views[key.first].law;
    // Cut off as tapes are, the vectors of one side come in the proportions of their chances.
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

TEST(DeviceEnumeration, JoiningDrawsWhatTheLawsSay) {
  for (const char* epsilon : kEpsilons) {
    for (const Protocol protocol :
         {Protocol::kHybrid, Protocol::kOptimal, Protocol::kSnapshot, Protocol::kErlingsson}) {
      const Result<Plan> plan = make_plan(protocol, 4, 2, *Epsilon::parse(epsilon));
      if (!plan) continue;  // a protocol's own range of epsilon
      expect_exact_joining<4>(with_short_words(*plan, 4), 5,
                              std::string(name_of(protocol)) + " at " + epsilon);
    }
  }
}

// ---- Whole lives. ----

// What one device reports: by the words of plan.hpp.
struct Owed {
  std::vector<std::uint32_t> indices;
  std::vector<int> inputs;
};

Owed owed(const View& view, Period d, Period joined, std::uint32_t start, std::uint32_t stride,
          const std::vector<int>& values) {
  Owed owed;
  for (std::uint32_t j = 1; j << view.order <= d; ++j) {
    const Period end = j << view.order;
    if (end < joined) continue;
    if (view.kind == ViewKind::kSnapshot && (j < start || (j - start) % stride != 0)) continue;
    const Period begin = end - (1U << view.order);
    owed.indices.push_back(j);
    owed.inputs.push_back(view.kind == ViewKind::kChanges ? values[end] - values[begin]
                                                          : 2 * values[end] - 1);
  }
  return owed;
}

// The chance of an output: noise where the first inputs are not zero, coins elsewhere.
Ratio output_chance(const Law& law, const std::vector<int>& inputs, const Symbols& output,
                    const std::map<Symbols, Ratio>& noise_chances) {
  const std::uint32_t k = Definition::num_signs_of(law);
  Ratio coins{1};
  Symbols asked;  // of the noise, entry by entry
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    if (inputs[j] == 0 || asked.size() == k) {
      coins = coins * null_chance(law, output[j]);
    } else {
      asked.push_back(inputs[j] * output[j]);
    }
  }
  Ratio noise{0};
  for (const auto& [b, chance] : noise_chances) {
    if (std::equal(asked.begin(), asked.end(), b.begin())) noise = noise + chance;
  }
  return coins * noise;
}

// Words that give these symbols as the coins of these indices; a symbol of a quiet law by a unit at
// one of the two ends of those that mean it.
class CoinWords final : public RandomSource {
 public:
  CoinWords(const Law& law, std::uint32_t stride, const std::vector<std::uint32_t>& indices,
            const Symbols& coins, bool upper_end) {
    const auto* quiet = std::get_if<QuietLaw>(&law);
    const std::uint32_t per_word = quiet != nullptr ? 4 : stride > 1 ? 1 : 64;
    std::uint32_t last_word = UINT32_MAX;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::uint32_t word = (indices[i] - 1) / per_word;
      // Bits that are nobody's coin are set: they must not matter.
      if (word != last_word) words_.push_back(~std::uint64_t{0});
      last_word = word;
      const std::uint32_t place = (indices[i] - 1) % per_word;
      if (quiet == nullptr) {
        const std::uint64_t bit = std::uint64_t{1} << place;
        words_.back() = coins[i] < 0 ? words_.back() | bit : words_.back() & ~bit;
        continue;
      }
      const std::uint32_t r = quiet->speak;
      const std::uint32_t first = coins[i] < 0 ? 0 : coins[i] > 0 ? r / 2 : r;
      const std::uint32_t last = coins[i] < 0 ? r / 2 - 1 : coins[i] > 0 ? r - 1 : 65'535;
      const std::uint64_t unit = upper_end ? last : first;
      words_.back() &= ~(std::uint64_t{0xffff} << (16 * place));
      words_.back() |= unit << (16 * place);
    }
  }
  bool fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) {
      if (at_ == words_.size()) return false;
      word = words_[at_++];
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t at_ = 0;
};

struct Life {
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
    CoinWords words(law, stride, owed.indices, coins, upper_end);
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
  const Result<Plan> terms = make_plan(protocol, periods, changes, budget);
  if (!terms) return;  // a protocol's own range of epsilon
  const CertifiedPlan plan = *CertifiedPlan::create(*terms);
  for (std::uint32_t view = 0; view < terms->views.size(); ++view) {
    const bool snapshot = terms->views[view].kind == ViewKind::kSnapshot;
    const std::uint32_t signs = Definition::num_signs_of(terms->views[view].law);
    const std::uint32_t indices = periods >> terms->views[view].order;
    const std::uint32_t stride = snapshot ? (indices + signs - 1) / signs : 1;
    for (std::uint32_t start = snapshot ? 1 : 0; start <= (snapshot ? stride : 0); ++start) {
      for (Period joined = 1; joined <= periods; ++joined) {
        Life{plan, view, joined, start, stride}.expect_exact(exp_below(budget.nanos()));
      }
    }
  }
}

TEST(DeviceEnumeration, LivesAreThoseOfTheDefinitions) {
  for (const char* epsilon : kEpsilons) {
    for (const Protocol protocol : kProtocols) expect_exact_lives(protocol, epsilon, 3, 2);
    expect_exact_lives(Protocol::kHybrid, epsilon, 4, 1);
    expect_exact_lives(Protocol::kHybrid, epsilon, 5, 2);
  }
}

}  // namespace
}  // namespace futurerand
