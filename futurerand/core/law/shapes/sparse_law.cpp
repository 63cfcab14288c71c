#include "futurerand/core/law/shapes/sparse_law.hpp"

#include <string>

#include "futurerand/core/law/shapes/sparse_moments.hpp"
#include "futurerand/core/law/shapes/sparse_scores.hpp"

namespace futurerand {
namespace {

// P / P0 of the high side and of the rest, for symbols with the given scores.
struct SparseLikelihoods {
  Fraction loud;
  Fraction rest;

  SparseLikelihoods(const SparseLaw& law, const SparseScores& scores)
      : loud{scores.all * law.high_side, scores.loud << 64},
        rest{scores.all * complement(law.high_side), (scores.all - scores.loud) << 64} {}
};

}  // namespace

Status SparseLaw::validate() const {
  if (nonzero < 2 || nonzero > kUnits || nonzero % 2 != 0) {
    return Error{"speak " + std::to_string(nonzero) +
                 " is out of range; expected an even 2 to 65536"};
  }
  if (tau >= num_signs) {
    return Error{"tau " + std::to_string(tau) + " is out of range; expected 0 to " +
                 std::to_string(num_signs - 1)};
  }
  if (high_side == 0) return Error{"high-side threshold is 0; expected 1 to 2^64 - 1"};
  if (!SparseScores(*this).bounded()) {
    return Error{"the high side has fewer than one vector in 1024; expected a smaller tau"};
  }
  return {};
}

Fraction SparseLaw::probability(std::uint32_t minus, std::uint32_t silent) const {
  const std::uint32_t plus = num_signs - minus - silent;
  const SparseScores scores(*this);
  const SparseLikelihoods likelihoods(*this, scores);
  const Fraction& likelihood = plus > minus + tau ? likelihoods.loud : likelihoods.rest;
  const BigInt null = power(nonzero / 2, plus + minus) * power(kUnits - nonzero, silent);
  return {likelihood.numerator * null, likelihood.denominator * scores.all};
}

LossRatio SparseLaw::loss_ratio() const {
  const SparseLikelihoods likelihoods(*this, SparseScores(*this));
  return loss_between({likelihoods.loud, likelihoods.rest});
}

// The mean score is 0 without a change, so the rest's moment is minus the high side's.
Fraction SparseLaw::gap() const {
  const SparseScores scores(*this);
  const BigInt rest = scores.all - scores.loud;
  const BigInt lead = scores.all * high_side - (scores.loud << 64);
  return {scores.high_moment * lead, (scores.loud * rest * num_signs) << 64};
}

double SparseLaw::mean_square(double changed_share) const {
  const SparseLikelihoods likelihoods(*this, SparseScores(*this));
  const SparseMoments moments(num_signs, nonzero);
  const double loud = to_double(likelihoods.loud), rest = to_double(likelihoods.rest);
  const double changed = rest * moments.square() + (loud - rest) * moments.loud(tau).square;
  return (1 - changed_share) * moments.square() + changed_share * changed;
}

}  // namespace futurerand
