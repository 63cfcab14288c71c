#include "futurerand/audit/exhaustive.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "futurerand/core/randomizer/sign_randomizer.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kMaxRuns = std::uint64_t{1} << 30;

// P(0..k) as integers over one denominator, so that sums of them stay integers.
struct Weights {
  std::vector<BigInt> numerators;
  BigInt denominator{1};

  explicit Weights(const Law& law) {
    std::vector<Fraction> all;
    for (std::uint32_t i = 0; i <= num_signs(law); ++i) all.push_back(probability(law, i));
    for (const Fraction& p : all) denominator = lcm(denominator, p.denominator);
    for (const Fraction& p : all) numerators.push_back(p.numerator * (denominator / p.denominator));
  }
};

// The exact distribution of outputs for one input, times denominator and 2^L.
std::vector<BigInt> output_weights(const Weights& weights, std::span<const SignVector> noises,
                                   std::span<const std::int8_t> input, const OnlineRun& run) {
  const std::uint32_t num_outputs = 1U << input.size();
  const std::size_t num_counts = weights.numerators.size();
  std::vector<std::uint32_t> runs(num_outputs * num_counts);
  for (const SignVector& noise : noises) {
    const std::uint32_t count = noise.count_minus();
    for (std::uint32_t coins = 0; coins < num_outputs; ++coins) {
      ++runs[run(noise, input, coins) * num_counts + count];
    }
  }
  std::vector<BigInt> outputs(num_outputs);
  for (std::size_t output = 0; output < num_outputs; ++output) {
    for (std::size_t count = 0; count < num_counts; ++count) {
      outputs[output] += weights.numerators[count] * runs[output * num_counts + count];
    }
  }
  return outputs;
}

BigInt weight_of_minus(const std::vector<BigInt>& outputs, std::size_t position) {
  BigInt sum;
  for (std::size_t output = 0; output < outputs.size(); ++output) {
    if ((output >> position) & 1U) sum += outputs[output];
  }
  return sum;
}

struct Range {
  BigInt smallest;
  BigInt largest;

  explicit Range(const BigInt& value) : smallest(value), largest(value) {}
  void include(const BigInt& value) {
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  Fraction ratio() const { return {largest, smallest}; }
};

// The next input in {-1,0,1}^L, counting in base three; false after the last.
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

}  // namespace

std::uint32_t run_sign_randomizer(const SignVector& noise, std::span<const std::int8_t> input,
                                  std::uint32_t coins) {
  SignRandomizer randomizer(noise);
  std::uint32_t minus = 0;
  for (std::size_t j = 0; j < input.size(); ++j) {
    const bool is_minus = randomizer.randomize(input[j], (coins >> j) & 1U) == Sign::kMinus;
    minus |= std::uint32_t{is_minus} << j;
  }
  return minus;
}

Result<ExhaustiveAudit> audit_exhaustively(const Law& law, std::uint32_t length, Epsilon epsilon,
                                           const OnlineRun& run) {
  if (const Status valid = validate(law); !valid) return valid.error();
  const std::uint32_t k = num_signs(law);
  std::uint64_t num_inputs = 1;
  for (std::uint32_t j = 0; j < length && num_inputs <= kMaxRuns; ++j) num_inputs *= 3;
  if (length < 1 || length + k > 30 || num_inputs > (kMaxRuns >> (length + k))) {
    return Error{"3^" + std::to_string(length) + " inputs with 2^" + std::to_string(length + k) +
                 " coins and noise vectors are too many to enumerate; expected at most 2^30 runs," +
                 " such as 8 periods and 4 changes"};
  }

  const Weights weights(law);
  std::vector<SignVector> noises(std::size_t{1} << k, SignVector(k));
  for (std::size_t n = 0; n < noises.size(); ++n) noises[n].set_word(0, n);

  const Fraction c = gap(law);
  const BigInt total = weights.denominator << length;
  const Fraction bound = exp_below(epsilon.nanos());
  ExhaustiveAudit audit{num_inputs, std::uint64_t{1} << length, true, true, true, true, 0};
  std::vector<Range> by_output;
  std::vector<std::int8_t> input(length, -1);
  do {
    const std::vector<BigInt> outputs = output_weights(weights, noises, input, run);
    std::uint32_t non_zeros = 0;
    for (std::size_t j = 0; j < length; ++j) {
      const BigInt minus = weight_of_minus(outputs, j);
      const BigInt lead = total - 2 * minus;  // P(+1) - P(-1), times total
      if (input[j] != 0 && non_zeros++ < k) {
        audit.property_two &= equal({lead * input[j], total}, c);
      } else {
        audit.property_three &= lead.is_zero();
      }
    }
    for (std::size_t output = 0; output < outputs.size(); ++output) {
      if (by_output.size() == output) by_output.emplace_back(outputs[output]);
      by_output[output].include(outputs[output]);
    }
  } while (advance(input));

  Range all = by_output.front();
  double largest_log = 0;
  for (const Range& range : by_output) {
    all.include(range.smallest);
    all.include(range.largest);
    if (range.smallest.is_zero()) {
      audit.ratio_bounded = false;
      largest_log = std::numeric_limits<double>::infinity();
      continue;
    }
    audit.ratio_bounded &= less_or_equal(range.ratio(), bound);
    largest_log = std::max(largest_log, log(range.ratio()));
  }
  audit.property_one = !all.smallest.is_zero() && less_or_equal(all.ratio(), bound);
  audit.exact_epsilon = largest_log;
  return audit;
}

}  // namespace futurerand
