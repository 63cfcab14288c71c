#include "futurerand/audit/exhaustive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "futurerand/core/randomizer/sign_randomizer.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kMaxRuns = std::uint64_t{1} << 30;

// An Alphabet has the symbols of a law, and their whole-number weights without a change.
struct Alphabet {
  std::vector<Sign> symbols;
  std::vector<std::uint32_t> weights;
  std::uint32_t total;

  explicit Alphabet(const Law& law) {
    if (may_be_zero(law)) {
      const std::uint32_t nonzero = nonzero_units(law);
      symbols = {Sign::kMinus, Sign::kZero, Sign::kPlus};
      weights = {nonzero / 2, SparseLaw::kUnits - nonzero, nonzero / 2};
      total = SparseLaw::kUnits;
    } else {
      symbols = {Sign::kMinus, Sign::kPlus};
      weights = {1, 1};
      total = 2;
    }
  }

  std::size_t size() const { return symbols.size(); }
  // Returns the digit of a symbol of this alphabet.
  std::size_t digit(Sign sign) const {
    const int value = static_cast<int>(sign) + 1;
    return static_cast<std::size_t>(size() == 2 ? value / 2 : value);
  }
};

// All sequences of a length over an alphabet, numbered in its base. Sequences with the same number
// of zero symbols have the same weight: that number is their class.
struct Sequences {
  std::vector<std::vector<Sign>> all{1};
  std::vector<std::size_t> class_of{0};
  std::vector<BigInt> class_weights;

  Sequences(const Alphabet& alphabet, std::uint32_t length) {
    for (std::uint32_t j = 0; j < length; ++j) {
      std::vector<std::vector<Sign>> longer;
      std::vector<std::size_t> classes;
      for (const Sign symbol : alphabet.symbols) {
        for (std::size_t s = 0; s < all.size(); ++s) {
          longer.push_back(all[s]);
          longer.back().push_back(symbol);
          classes.push_back(class_of[s] + (symbol == Sign::kZero ? 1 : 0));
        }
      }
      all = std::move(longer);
      class_of = std::move(classes);
    }
    const std::size_t num_classes = 1 + *std::ranges::max_element(class_of);
    for (std::uint32_t silent = 0; silent < num_classes; ++silent) {
      class_weights.push_back(power(alphabet.weights.front(), length - silent) *
                              power(alphabet.weights[1], silent));
    }
  }
};

// These are all noise vectors, and by class their probability as an integer over one denominator.
struct Noises {
  std::vector<SignVector> all;
  std::vector<std::size_t> class_of;
  std::vector<BigInt> class_weights;
  BigInt denominator{1};

  Noises(const Law& law, const Alphabet& alphabet) {
    const std::uint32_t k = num_signs(law);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> classes;  // by minus and silent
    std::vector<Fraction> probabilities;
    for (const std::vector<Sign>& signs : Sequences(alphabet, k).all) {
      SignVector& noise = all.emplace_back(k, may_be_zero(law));
      for (std::uint32_t j = 0; j < k; ++j) noise.set(j, signs[j]);
      const auto minus = static_cast<std::uint32_t>(std::ranges::count(signs, Sign::kMinus));
      const auto silent = static_cast<std::uint32_t>(std::ranges::count(signs, Sign::kZero));
      const auto [entry, is_new] = classes.try_emplace({minus, silent}, classes.size());
      if (is_new) probabilities.push_back(probability(law, minus, silent));
      class_of.push_back(entry->second);
    }
    for (const Fraction& p : probabilities) denominator = lcm(denominator, p.denominator);
    for (const Fraction& p : probabilities) {
      class_weights.push_back(p.numerator * (denominator / p.denominator));
    }
  }
};

class Enumeration {
 public:
  Enumeration(const Law& law, std::uint32_t length)
      : alphabet_(law),
        noises_(law, alphabet_),
        sequences_(alphabet_, length),
        total_(noises_.denominator * power(alphabet_.total, length)) {}

  // The weights of one output without a change, and of all outputs of one input together.
  const BigInt& null_weight(std::size_t output) const {
    return sequences_.class_weights[sequences_.class_of[output]];
  }
  const BigInt& total() const { return total_; }
  std::size_t num_outputs() const { return sequences_.all.size(); }

  // Returns the exact weight of each output of one input. Runs are counted by class first, since
  // adding big integers a run would take far longer than the runs.
  std::vector<BigInt> output_weights(std::span<const std::int8_t> input,
                                     const OnlineRun& run) const {
    const std::size_t coin_classes = sequences_.class_weights.size();
    const std::size_t num_classes = coin_classes * noises_.class_weights.size();
    std::vector<std::uint32_t> runs(num_outputs() * num_classes);
    std::vector<Sign> output(input.size());
    for (std::size_t n = 0; n < noises_.all.size(); ++n) {
      for (std::size_t coins = 0; coins < num_outputs(); ++coins) {
        run(noises_.all[n], input, sequences_.all[coins], output);
        ++runs[number_of(output) * num_classes + noises_.class_of[n] * coin_classes +
               sequences_.class_of[coins]];
      }
    }
    std::vector<BigInt> outputs(num_outputs());
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i] == 0) continue;
      outputs[i / num_classes] += noises_.class_weights[i % num_classes / coin_classes] *
                                  sequences_.class_weights[i % coin_classes] * runs[i];
    }
    return outputs;
  }

  // Returns E[output at a position], times total().
  BigInt mean_at(const std::vector<BigInt>& outputs, std::size_t position) const {
    BigInt mean;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      mean += outputs[o] * static_cast<int>(sequences_.all[o][position]);
    }
    return mean;
  }

 private:
  std::size_t number_of(std::span<const Sign> output) const {
    std::size_t number = 0;
    for (std::size_t j = output.size(); j-- > 0;) {
      number = number * alphabet_.size() + alphabet_.digit(output[j]);
    }
    return number;
  }

  Alphabet alphabet_;
  Noises noises_;
  Sequences sequences_;
  BigInt total_;
};

struct Range {
  BigInt smallest;
  BigInt largest;

  explicit Range(const BigInt& value) : smallest(value), largest(value) {}
  void include(const BigInt& value) {
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
};

// Steps to the next input in {-1,0,1}^L, counting in base three; returns false after the last.
bool advance(std::vector<std::int8_t>& input) {
  for (std::int8_t& v : input) {
    if (v < 1) {
      ++v;
      return true;
    }
    v = -1;
  }
  return false;
}

bool too_many_runs(std::uint64_t symbols, std::uint32_t length, std::uint32_t num_signs) {
  if (length < 1 || length > 30 || num_signs > 30) return true;
  std::uint64_t runs = 1;
  for (std::uint32_t j = 0; j < length && runs <= kMaxRuns; ++j) runs *= 3 * symbols;
  for (std::uint32_t j = 0; j < num_signs && runs <= kMaxRuns; ++j) runs *= symbols;
  return runs > kMaxRuns;
}

}  // namespace

void run_sign_randomizer(const SignVector& noise, std::span<const std::int8_t> input,
                         std::span<const Sign> coins, std::span<Sign> output) {
  SignRandomizer randomizer(noise);
  for (std::size_t j = 0; j < input.size(); ++j) {
    output[j] = randomizer.randomize(input[j], coins[j]);
  }
}

Result<ExhaustiveAudit> audit_exhaustively(const Law& law, std::uint32_t length, Epsilon epsilon,
                                           const OnlineRun& run,
                                           const std::function<void(double)>& progress) {
  if (const Status valid = validate(law); !valid) return valid.error();
  const std::uint32_t k = num_signs(law);
  const std::string symbols = std::to_string(Alphabet(law).size());
  if (too_many_runs(Alphabet(law).size(), length, k)) {
    return Error{"3^" + std::to_string(length) + " inputs with " + symbols + "^" +
                 std::to_string(std::uint64_t{length} + k) +
                 " coins and noise vectors are too many to enumerate; expected at most 2^30 runs," +
                 " such as 8 periods and 4 changes (4 and 4 for a sparse law)"};
  }

  const Enumeration enumeration(law, length);
  const Fraction c = gap(law);
  ExhaustiveAudit audit{0, enumeration.num_outputs(), true, true, true, true, 0};
  std::vector<Range> by_output;
  std::vector<std::int8_t> input(length, -1);
  const double all_inputs = std::pow(3, length);
  do {
    if (progress) progress(static_cast<double>(audit.num_inputs) / all_inputs);
    ++audit.num_inputs;
    const std::vector<BigInt> outputs = enumeration.output_weights(input, run);
    std::uint32_t non_zeros = 0;
    for (std::size_t j = 0; j < length; ++j) {
      const BigInt mean = enumeration.mean_at(outputs, j);
      if (input[j] != 0 && non_zeros++ < k) {
        audit.property_two &= equal({mean * input[j], enumeration.total()}, c);
      } else {
        audit.property_three &= mean.is_zero();
      }
    }
    for (std::size_t output = 0; output < outputs.size(); ++output) {
      if (by_output.size() == output) by_output.emplace_back(outputs[output]);
      by_output[output].include(outputs[output]);
    }
  } while (advance(input));

  const Fraction bound = exp_below(epsilon.nanos());
  const auto below = [](const Fraction& a, const Fraction& b) { return !less_or_equal(b, a); };
  std::vector<Fraction> likelihoods;
  for (std::size_t output = 0; output < by_output.size(); ++output) {
    const auto& [smallest, largest] = by_output[output];
    if (largest.is_zero() && enumeration.null_weight(output).is_zero()) continue;  // never happens
    likelihoods.push_back({smallest, enumeration.null_weight(output)});
    likelihoods.push_back({largest, enumeration.null_weight(output)});
    if (smallest.is_zero()) {
      audit.ratio_bounded = false;
      audit.exact_epsilon = std::numeric_limits<double>::infinity();
      continue;
    }
    audit.ratio_bounded &= less_or_equal({largest, smallest}, bound);
    audit.exact_epsilon = std::max(audit.exact_epsilon, log({largest, smallest}));
  }
  const auto [least, most] = std::minmax_element(likelihoods.begin(), likelihoods.end(), below);
  audit.property_one =
      !least->numerator.is_zero() &&
      less_or_equal({most->numerator * least->denominator, most->denominator * least->numerator},
                    bound);
  return audit;
}

}  // namespace futurerand
