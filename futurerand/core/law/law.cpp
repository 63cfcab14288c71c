#include "futurerand/core/law/law.hpp"

#include <string>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/law/laws.hpp"
#include "futurerand/core/law/quiet_law.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

BigInt complement(std::uint64_t threshold) { return two_to(64) - threshold; }

// Exact sums over the counts i that an annulus keeps.
struct Annulus {
  BigInt vectors;         // sum C(k,i)
  BigInt vectors_moment;  // sum C(k,i) (k - 2i)
  BigInt mass;            // sum C(k,i) p^i q^(k-i), times 2^(64 k)
  BigInt mass_moment;     // the same with the factor (k - 2i)

  explicit Annulus(const AnnulusLaw& law) {
    const BigInt minus = law.flip;
    const BigInt plus = complement(law.flip);
    const std::uint32_t k = law.num_signs;
    // p^first q^(k-last) is common to all terms and is multiplied in at the end: the loop works on
    // numbers of 64 (last - first) bits rather than of 64 k.
    BigInt plus_power = power(plus, law.last_kept - law.first_kept);
    BigInt minus_power = 1;
    BinomialRow row(k);
    while (row.index() < law.first_kept) row.advance();
    for (std::uint32_t i = law.first_kept; i <= law.last_kept; ++i, row.advance()) {
      const std::int64_t lead = std::int64_t{k} - 2 * std::int64_t{i};
      const BigInt term = row.value() * minus_power * plus_power;
      vectors += row.value();
      vectors_moment += row.value() * lead;
      mass += term;
      mass_moment += term * lead;
      minus_power *= minus;
      if (i < law.last_kept) plus_power /= plus;
    }
    const BigInt common = power(minus, law.first_kept) * power(plus, k - law.last_kept);
    mass *= common;
    mass_moment *= common;
  }

  // Probability of one given vector outside; zero vectors outside give no such probability.
  Fraction outside(const AnnulusLaw& law) const {
    const BigInt total = two_to(64 * law.num_signs);
    return {total - mass, total * (two_to(law.num_signs) - vectors)};
  }
};

bool keeps_all(const AnnulusLaw& law) {
  return law.first_kept == 0 && law.last_kept == law.num_signs;
}

// sum of C(k,i) for i <= tau
BigInt low_vectors(const ThresholdLaw& law) {
  BigInt sum;
  for (BinomialRow row(law.num_signs); row.index() <= law.tau; row.advance()) sum += row.value();
  return sum;
}

Fraction product_probability(std::uint32_t k, std::uint64_t flip, std::uint32_t i) {
  return {power(flip, i) * power(complement(flip), k - i), two_to(64 * k)};
}

// Mean over J of the chance that sign J came out as it did; the other k - 1 signs are fair.
Fraction probability_of(const SingleLaw& law, std::uint32_t i, std::uint32_t) {
  const std::uint32_t k = law.num_signs;
  return {complement(law.flip) * (k - i) + BigInt(law.flip) * i, BigInt(k) << (64 + k - 1)};
}

Fraction probability_of(const ProductLaw& law, std::uint32_t i, std::uint32_t) {
  return product_probability(law.num_signs, law.flip, i);
}

Fraction probability_of(const AnnulusLaw& law, std::uint32_t i, std::uint32_t) {
  if (law.first_kept <= i && i <= law.last_kept) {
    return product_probability(law.num_signs, law.flip, i);
  }
  return Annulus(law).outside(law);
}

Fraction probability_of(const ThresholdLaw& law, std::uint32_t i, std::uint32_t) {
  const BigInt low = low_vectors(law);
  if (i <= law.tau) return {law.low_side, low << 64};
  return {complement(law.low_side), (two_to(law.num_signs) - low) << 64};
}

// P / P0 of the loud side and of the rest, for symbols whose scores these are.
struct QuietLikelihoods {
  Fraction loud;
  Fraction rest;

  QuietLikelihoods(const QuietLaw& law, const QuietScores& scores)
      : loud{scores.all * law.loud_side, scores.loud << 64},
        rest{scores.all * complement(law.loud_side), (scores.all - scores.loud) << 64} {}
};

Fraction probability_of(const QuietLaw& law, std::uint32_t i, std::uint32_t silent) {
  const std::uint32_t plus = law.num_signs - i - silent;
  const QuietScores scores(law);
  const QuietLikelihoods likelihoods(law, scores);
  const Fraction& likelihood = plus > i + law.tau ? likelihoods.loud : likelihoods.rest;
  const BigInt null = power(law.speak / 2, plus + i) * power(QuietLaw::kUnits - law.speak, silent);
  return {likelihood.numerator * null, likelihood.denominator * scores.all};
}

// P falls with i for a product, and for the mean of (k-i) q + i p with p <= q.
std::vector<std::uint32_t> extreme_counts(const ProductLaw& law) { return {0, law.num_signs}; }
std::vector<std::uint32_t> extreme_counts(const SingleLaw& law) { return {0, law.num_signs}; }
std::vector<std::uint32_t> extreme_counts(const ThresholdLaw& law) {
  return {law.tau, law.tau + 1};
}
std::vector<std::uint32_t> extreme_counts(const AnnulusLaw& law) {
  std::vector<std::uint32_t> counts = {law.first_kept, law.last_kept};
  if (!keeps_all(law)) counts.push_back(law.first_kept > 0 ? 0 : law.num_signs);
  return counts;
}

template <typename Shape>
std::vector<Fraction> extreme_likelihoods_of(const Shape& law) {
  std::vector<Fraction> extremes;
  for (const std::uint32_t i : extreme_counts(law)) extremes.push_back(probability(law, i));
  return extremes;
}

std::vector<Fraction> extreme_likelihoods_of(const QuietLaw& law) {
  const QuietLikelihoods likelihoods(law, QuietScores(law));
  return {likelihoods.loud, likelihoods.rest};
}

Fraction gap_of(const ProductLaw& law) { return {complement(law.flip) - law.flip, two_to(64)}; }

Fraction gap_of(const SingleLaw& law) {
  return {complement(law.flip) - law.flip, BigInt(law.num_signs) << 64};
}

// Outside vectors all have the same P, and the sum of C(k,i) (k - 2i) over all i is 0: the
// outside's moment is minus the inside's.
Fraction gap_of(const AnnulusLaw& law) {
  const Annulus annulus(law);
  const BigInt total = two_to(64 * law.num_signs);
  if (keeps_all(law)) return {annulus.mass_moment, total * law.num_signs};
  const Fraction outside = annulus.outside(law);
  const BigInt outside_vectors = two_to(law.num_signs) - annulus.vectors;
  return {annulus.mass_moment * outside_vectors - outside.numerator * annulus.vectors_moment,
          outside.denominator * law.num_signs};
}

// sum over i <= tau of C(k,i) (k - 2i) = k C(k-1, tau), so c = C(k-1,tau) (P(low) - P(high)).
Fraction gap_of(const ThresholdLaw& law) {
  const BigInt low = low_vectors(law);
  const BigInt high = two_to(law.num_signs) - low;
  const BigInt lead = high * law.low_side - low * complement(law.low_side);
  return {binomial(law.num_signs - 1, law.tau) * lead, (low * high) << 64};
}

// The mean score is 0 where nothing changes, so the rest's moment is minus the loud side's.
Fraction gap_of(const QuietLaw& law) {
  const QuietScores scores(law);
  const BigInt rest = scores.all - scores.loud;
  const BigInt lead = scores.all * law.loud_side - (scores.loud << 64);
  return {scores.loud_moment * lead, (scores.loud * rest * law.num_signs) << 64};
}

Status check_flip(std::uint64_t flip) {
  if (flip > 0 && flip < kHalf) return {};
  return Error{"flip threshold " + std::to_string(flip) +
               " is out of range; expected 1 to 2^63 - 1"};
}

Status check_shape(const ProductLaw& law) { return check_flip(law.flip); }
Status check_shape(const SingleLaw& law) { return check_flip(law.flip); }
Status check_shape(const AnnulusLaw& law) {
  if (law.first_kept > law.last_kept || law.last_kept > law.num_signs) {
    return Error{"annulus [" + std::to_string(law.first_kept) + ", " +
                 std::to_string(law.last_kept) + "] does not lie within 0 to " +
                 std::to_string(law.num_signs)};
  }
  return check_flip(law.flip);
}
Status check_shape(const ThresholdLaw& law) {
  if (law.tau >= law.num_signs) {
    return Error{"tau " + std::to_string(law.tau) + " is out of range; expected 0 to " +
                 std::to_string(law.num_signs - 1)};
  }
  if (law.low_side == 0) return Error{"low-side threshold is 0; expected 1 to 2^64 - 1"};
  return {};
}

Status check_shape(const QuietLaw& law) {
  if (law.speak < 2 || law.speak > QuietLaw::kUnits || law.speak % 2 != 0) {
    return Error{"speak " + std::to_string(law.speak) +
                 " is out of range; expected an even 2 to 65536"};
  }
  if (law.tau >= law.num_signs) {
    return Error{"tau " + std::to_string(law.tau) + " is out of range; expected 0 to " +
                 std::to_string(law.num_signs - 1)};
  }
  if (law.loud_side == 0) return Error{"loud-side threshold is 0; expected 1 to 2^64 - 1"};
  if (!QuietScores(law).bounded()) {
    return Error{"the loud side has fewer than one vector in 1024; expected a smaller tau"};
  }
  return {};
}

std::uint32_t most_signs(const Law& law) {
  if (std::holds_alternative<ProductLaw>(law)) return kMaxPeriods;
  if (std::holds_alternative<QuietLaw>(law)) return QuietLaw::kMaxSigns;
  return kMaxChanges;
}

}  // namespace

std::uint32_t num_signs(const Law& law) {
  return std::visit([](const auto& shape) { return shape.num_signs; }, law);
}

Status validate(const Law& law) {
  const std::uint32_t most = most_signs(law);
  if (const std::uint32_t k = num_signs(law); k < 1 || k > most) {
    return Error{"a law of " + std::to_string(k) + " signs is out of range; expected 1 to " +
                 std::to_string(most)};
  }
  return std::visit([](const auto& shape) { return check_shape(shape); }, law);
}

Fraction probability(const Law& law, std::uint32_t i, std::uint32_t silent) {
  return std::visit([=](const auto& shape) { return probability_of(shape, i, silent); }, law);
}

std::vector<Fraction> extreme_likelihoods(const Law& law) {
  return std::visit([](const auto& shape) { return extreme_likelihoods_of(shape); }, law);
}

double mean_square(const Law& law, double changed_share) {
  const auto* quiet = std::get_if<QuietLaw>(&law);
  if (quiet == nullptr) return 1;
  const QuietLikelihoods likelihoods(*quiet, QuietScores(*quiet));
  const QuietSymbol symbol(quiet->num_signs, quiet->speak);
  const double loud = to_double(likelihoods.loud), rest = to_double(likelihoods.rest);
  const double changed = rest * symbol.square() + (loud - rest) * symbol.loud(quiet->tau).square;
  return (1 - changed_share) * symbol.square() + changed_share * changed;
}

Fraction gap(const Law& law) {
  return std::visit([](const auto& shape) { return gap_of(shape); }, law);
}

std::string_view name_of(LawName law) {
  switch (law) {
    case LawName::kWarner:
      return "warner";
    case LawName::kErlingsson:
      return "erlingsson";
    case LawName::kBun:
      return "bun";
    case LawName::kFutureRand:
      return "future_rand";
    case LawName::kOptimal:
      return "optimal";
  }
  std::abort();
}

std::optional<LawName> law_named(std::string_view name) {
  for (const LawName law : kLawNames) {
    if (name_of(law) == name) return law;
  }
  return std::nullopt;
}

Result<Law> make_law(LawName name, std::uint32_t max_changes, Epsilon epsilon) {
  if (max_changes < 1 || max_changes > kMaxChanges) {
    return Error{"max changes " + std::to_string(max_changes) + " is out of range; expected 1 to " +
                 std::to_string(kMaxChanges)};
  }
  const bool proved_up_to_one = name == LawName::kBun || name == LawName::kFutureRand;
  if (proved_up_to_one && epsilon.nanos() > Epsilon::kNanosPerUnit) {
    return Error{"epsilon " + epsilon.text() + " is out of range for " +
                 std::string(name_of(name)) +
                 "; expected at most 1 (its proof needs that), or the optimal law"};
  }
  Law law = [&]() -> Law {
    switch (name) {
      case LawName::kWarner:
        return warner(max_changes, epsilon);
      case LawName::kErlingsson:
        return erlingsson(max_changes, epsilon);
      case LawName::kBun:
        return bun(max_changes, epsilon);
      case LawName::kFutureRand:
        return future_rand(max_changes, epsilon);
      case LawName::kOptimal:
        return optimal(max_changes, epsilon);
    }
    std::abort();
  }();
  if (const Status valid = validate(law); !valid) return valid.error();
  if (gap(law).numerator <= 0) {
    return Error{"the " + std::string(name_of(name)) + " law for " + std::to_string(max_changes) +
                 " changes and epsilon " + epsilon.text() +
                 " carries no signal in 64-bit integers; expected a larger epsilon"};
  }
  return law;
}

}  // namespace futurerand
