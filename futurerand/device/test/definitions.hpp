// The draws and messages of a device by the definitions alone (law.md, sparse.md, plan.hpp and the
// headers of the shapes). This is the oracle of the enumerations. Nothing here calls the code under
// test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "futurerand/core/base/exact.hpp"
#include "futurerand/core/law/law.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand::definitions {

using Symbols = std::vector<int>;

inline constexpr const char* kEpsilons[] = {"1", "2", "4", "8"};

inline const BigInt kTwo64 = BigInt(1) << 64;

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

inline Ratio of_64_bits(std::uint64_t threshold) { return {threshold, kTwo64}; }
inline Ratio other(const Ratio& ratio) { return {ratio.under - ratio.over, ratio.under}; }

inline std::vector<Symbols> all_symbols(std::uint32_t length, bool silence) {
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

inline int sum_of(const Symbols& symbols) {
  int sum = 0;
  for (const int symbol : symbols) sum += symbol;
  return sum;
}

inline std::uint32_t minus_of(const Symbols& symbols) {
  return static_cast<std::uint32_t>(std::count(symbols.begin(), symbols.end(), -1));
}

// The symbols of a level weigh the same; levels come one after the other.
inline int score_of(const WeightedThresholdLaw& law, const Symbols& symbols) {
  int score = 0;
  std::size_t position = 0;
  for (const auto& level : law.levels) {
    for (std::uint32_t i = 0; i < level.count; ++i) {
      score += symbols[position++] * static_cast<int>(level.weight);
    }
  }
  return score;
}

// A symbol is nonzero in this many of 65,536 units.
inline std::uint32_t nonzero_of(const Law& law) {
  if (const auto* quiet = std::get_if<SparseLaw>(&law)) return quiet->nonzero;
  if (const auto* weighted = std::get_if<WeightedThresholdLaw>(&law)) return weighted->nonzero;
  return 65'536;
}

// A symbol without a change.
inline Ratio null_chance(const Law& law, int symbol) {
  return {symbol == 0 ? 65'536 - nonzero_of(law) : nonzero_of(law) / 2, 65'536};
}

inline Ratio null_chance(const Law& law, const Symbols& symbols) {
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
  // A side with its probability, then uniform within it; for a sparse law like unchanged symbols.
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
  Ratio operator()(const SparseLaw& law) const {
    return two_sides(law, of_64_bits(law.high_side),
                     [&](const Symbols& b) { return sum_of(b) > static_cast<int>(law.tau); });
  }
  Ratio operator()(const WeightedThresholdLaw& law) const {
    return two_sides(law, of_64_bits(law.high_side), [&](const Symbols& b) {
      return score_of(law, b) >= static_cast<int>(law.theta);
    });
  }
  // A side with its probability, then uniform among the sets of that side.
  Ratio operator()(const PulseLaw& law) const {
    const auto pulses_of = [](const Symbols& b, std::size_t slots) {
      return std::count(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(slots), 1);
    };
    const auto is_set = [&](const Symbols& b) { return pulses_of(b, b.size()) == law.pulses; };
    const auto hits = [&](const Symbols& b) { return pulses_of(b, law.window) > 0; };
    if (!is_set(noise)) return {0};
    BigInt side = 0;
    for (const Symbols& b : all_symbols(law.num_signs, false)) {
      if (is_set(b) && hits(b) == hits(noise)) ++side;
    }
    const Ratio chance = of_64_bits(law.high_side);
    return (hits(noise) ? chance : other(chance)) * Ratio{1, side};
  }

  static bool silent(const Law& law) { return nonzero_of(law) < 65'536; }
  static std::uint32_t num_signs_of(const Law& law) {
    return std::visit([](const auto& shape) { return shape.num_signs; }, law);
  }
};

inline Ratio law_chance(const Law& law, const Symbols& noise) {
  return std::visit(Definition{noise}, law);
}

inline Symbols symbols_of(const SignVector& signs) {
  Symbols symbols;
  for (std::uint32_t j = 0; j < signs.size(); ++j) symbols.push_back(static_cast<int>(signs.at(j)));
  return symbols;
}

inline SignVector vector_of(const Symbols& symbols, bool silence) {
  SignVector signs(static_cast<std::uint32_t>(symbols.size()), silence);
  for (std::uint32_t j = 0; j < signs.size(); ++j) signs.set(j, static_cast<Sign>(symbols[j]));
  return signs;
}

// The reports of one device, by the words of plan.hpp.
struct Owed {
  std::vector<std::uint32_t> indices;
  std::vector<int> inputs;
};

inline Owed owed(const View& view, Period d, Period joined, std::uint32_t start,
                 std::uint32_t stride, const std::vector<int>& values) {
  Owed owed;
  for (std::uint32_t j = 1; j << view.order <= d; ++j) {
    const Period end = j << view.order;
    if (end < joined) continue;
    if (view.kind == ViewKind::kSnapshot && (j < start || (j - start) % stride != 0)) continue;
    if (view.kind == ViewKind::kOnce && end != joined) continue;
    const Period begin = end - (1U << view.order);
    owed.indices.push_back(j);
    owed.inputs.push_back(view.kind == ViewKind::kChanges ? values[end] - values[begin]
                                                          : 2 * values[end] - 1);
  }
  return owed;
}

// The probability of an output: noise where the first inputs are nonzero, coins elsewhere.
inline Ratio output_chance(const Law& law, const std::vector<int>& inputs, const Symbols& output,
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

}  // namespace futurerand::definitions
