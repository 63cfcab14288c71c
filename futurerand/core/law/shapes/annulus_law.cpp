#include "futurerand/core/law/shapes/annulus_law.hpp"

#include <string>
#include <vector>

#include "futurerand/core/law/shapes/product_law.hpp"

namespace futurerand {
namespace {

// Exact sums over the kept counts i of an annulus.
struct KeptSums {
  BigInt vectors;         // sum C(k,i)
  BigInt vectors_moment;  // sum C(k,i) (k - 2i)
  BigInt mass;            // sum C(k,i) p^i q^(k-i), times 2^(64 k)
  BigInt mass_moment;     // the same with the factor (k - 2i)

  explicit KeptSums(const AnnulusLaw& law) {
    const BigInt minus = law.flip;
    const BigInt plus = complement(law.flip);
    const std::uint32_t k = law.num_signs;
    // All terms share p^first q^(k-last). It is multiplied in at the end, so the loop works on
    // numbers of 64 (last - first) bits instead of 64 k.
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

  // Returns the probability of one given vector outside. Requires some vectors outside.
  Fraction outside(const AnnulusLaw& law) const {
    const BigInt total = two_to(64 * law.num_signs);
    return {total - mass, total * (two_to(law.num_signs) - vectors)};
  }
};

}  // namespace

Status AnnulusLaw::validate() const {
  if (first_kept > last_kept || last_kept > num_signs) {
    return Error{"annulus [" + std::to_string(first_kept) + ", " + std::to_string(last_kept) +
                 "] does not lie within 0 to " + std::to_string(num_signs)};
  }
  return check_flip(flip);
}

Fraction AnnulusLaw::probability(std::uint32_t minus, std::uint32_t) const {
  return keeps(minus) ? product_probability(num_signs, flip, minus)
                      : KeptSums(*this).outside(*this);
}

LossRatio AnnulusLaw::loss_ratio() const {
  std::vector<Fraction> extremes = {probability(first_kept, 0), probability(last_kept, 0)};
  if (!keeps_all()) extremes.push_back(probability(first_kept > 0 ? 0 : num_signs, 0));
  return loss_between(extremes);
}

// Outside vectors all have the same P, and the sum of C(k,i) (k - 2i) over all i is 0, so the
// outside's moment is minus the inside's.
Fraction AnnulusLaw::gap() const {
  const KeptSums kept(*this);
  const BigInt total = two_to(64 * num_signs);
  if (keeps_all()) return {kept.mass_moment, total * num_signs};
  const Fraction outside = kept.outside(*this);
  const BigInt outside_vectors = two_to(num_signs) - kept.vectors;
  return {kept.mass_moment * outside_vectors - outside.numerator * kept.vectors_moment,
          outside.denominator * num_signs};
}

}  // namespace futurerand
