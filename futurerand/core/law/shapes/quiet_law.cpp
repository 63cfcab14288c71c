#include "futurerand/core/law/shapes/quiet_law.hpp"

#include <string>

#include "futurerand/core/law/shapes/quiet_moments.hpp"
#include "futurerand/core/law/shapes/quiet_scores.hpp"

namespace futurerand {
namespace {

// These are P / P0 of the loud side and of the rest, for symbols whose scores are given.
struct QuietLikelihoods {
  Fraction loud;
  Fraction rest;

  QuietLikelihoods(const QuietLaw& law, const QuietScores& scores)
      : loud{scores.all * law.loud_side, scores.loud << 64},
        rest{scores.all * complement(law.loud_side), (scores.all - scores.loud) << 64} {}
};

}  // namespace

Status QuietLaw::validate() const {
  if (speak < 2 || speak > kUnits || speak % 2 != 0) {
    return Error{"speak " + std::to_string(speak) +
                 " is out of range; expected an even 2 to 65536"};
  }
  if (tau >= num_signs) {
    return Error{"tau " + std::to_string(tau) + " is out of range; expected 0 to " +
                 std::to_string(num_signs - 1)};
  }
  if (loud_side == 0) return Error{"loud-side threshold is 0; expected 1 to 2^64 - 1"};
  if (!QuietScores(*this).bounded()) {
    return Error{"the loud side has fewer than one vector in 1024; expected a smaller tau"};
  }
  return {};
}

Fraction QuietLaw::probability(std::uint32_t minus, std::uint32_t silent) const {
  const std::uint32_t plus = num_signs - minus - silent;
  const QuietScores scores(*this);
  const QuietLikelihoods likelihoods(*this, scores);
  const Fraction& likelihood = plus > minus + tau ? likelihoods.loud : likelihoods.rest;
  const BigInt null = power(speak / 2, plus + minus) * power(kUnits - speak, silent);
  return {likelihood.numerator * null, likelihood.denominator * scores.all};
}

LossRatio QuietLaw::loss_ratio() const {
  const QuietLikelihoods likelihoods(*this, QuietScores(*this));
  return loss_between({likelihoods.loud, likelihoods.rest});
}

// The mean score is 0 where nothing changes, so the rest's moment is minus the loud side's.
Fraction QuietLaw::gap() const {
  const QuietScores scores(*this);
  const BigInt rest = scores.all - scores.loud;
  const BigInt lead = scores.all * loud_side - (scores.loud << 64);
  return {scores.loud_moment * lead, (scores.loud * rest * num_signs) << 64};
}

double QuietLaw::mean_square(double changed_share) const {
  const QuietLikelihoods likelihoods(*this, QuietScores(*this));
  const QuietMoments moments(num_signs, speak);
  const double loud = to_double(likelihoods.loud), rest = to_double(likelihoods.rest);
  const double changed = rest * moments.square() + (loud - rest) * moments.loud(tau).square;
  return (1 - changed_share) * moments.square() + changed_share * changed;
}

}  // namespace futurerand
