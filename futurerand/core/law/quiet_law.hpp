// Exact sums over the noise vectors of a QuietLaw, by their score: the sum of their symbols.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/law/exact.hpp"
#include "futurerand/core/law/law.hpp"

namespace futurerand {

struct QuietScores {
  // Requires integers in range; loud_side is not looked at.
  explicit QuietScores(const QuietLaw& law);

  // For symbols as they are where nothing changes: the chance of a score above tau, the mean of the
  // score where it is above tau (0 elsewhere), and what both are over.
  BigInt loud;
  BigInt loud_moment;
  BigInt all;

  bool bounded() const { return loud * QuietLaw::kMaxTries >= all; }
};

// Moments of one of k symbols where nothing changes, in floating point.
class QuietSymbol {
 public:
  QuietSymbol(std::uint32_t num_signs, std::uint32_t speak);

  struct Loud {
    double chance;  // that all k sum to more than tau
    double mean;    // of the symbol over those (0 elsewhere)
    double square;  // its mean square over those
  };

  double square() const { return square_; }
  Loud loud(std::uint32_t tau) const;

 private:
  double square_;
  std::vector<double> others_above_;  // element s + k: the other k - 1 symbols sum to s or more
};

}  // namespace futurerand
