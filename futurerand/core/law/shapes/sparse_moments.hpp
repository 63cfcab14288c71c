// SparseMoments: the moments of one of the k symbols of a SparseLaw without a change. They are in
// floating point and serve designs and predicted errors; privacy decisions must not use them.
#pragma once

#include <cstdint>
#include <vector>

namespace futurerand {

class SparseMoments {
 public:
  SparseMoments(std::uint32_t num_signs, std::uint32_t nonzero);

  struct Loud {
    double chance;  // the probability of a sum above tau over all k symbols
    double mean;    // the mean of the symbol over those vectors (0 elsewhere)
    double square;  // its mean square over those vectors
  };

  double square() const { return square_; }
  Loud loud(std::uint32_t tau) const;

 private:
  double square_;
  std::vector<double> others_above_;  // element s + k: the other k - 1 symbols sum to s or more
};

}  // namespace futurerand
