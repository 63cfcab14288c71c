// Shared parts of memoizing rivals. [ACX22] Arcolezi, Couchot, Al Bouna, Xiao, DCN 2022; [APL23]
// Arcolezi, Pinzon, Palamidessi, Gambs, EDBT 2023. Chances are those of the authors' programs.
// Their programs then cut estimates at 0 and scale them. That adds a bias and is left out.
#pragma once

#include <algorithm>

#include "futurerand/rivals/categories/category_rival.hpp"
#include "futurerand/rivals/categories/memoized_loss.hpp"
#include "futurerand/rivals/categories/randomized_answer.hpp"

namespace futurerand {

// Returns the fresh round after a permanent one of `cells` cells: the authors' solution of
// (p1 p2 + q1 q2) / (p1 q2 + q1 p2) = e^first. For two cells the loss of one report is `first`. For
// more it is smaller, because the equation leaves out the other cells.
inline RandomizedAnswer fresh_round(const RandomizedAnswer& permanent, double first) {
  const double p = permanent.keep, q = permanent.other(), others = permanent.cells - 1.0;
  const double b = std::exp(first);
  return {permanent.cells, (b * p - q) / (others * (p - b * q) + b * p - q)};
}

class MemoizingRival : public CategoryRival {
 public:
  explicit MemoizingRival(const CategorySettings& settings) : settings_(settings) {}

  Guarantee guarantee() const final { return Guarantee::kPerValue; }

 protected:
  SequenceLoss loss_of(const std::vector<MemoizedPart>& parts) const {
    return {memoized_loss(parts, settings_.num_periods, settings_.max_changes),
            "largest over pairs of sequences of two values; more values may lose more"};
  }
  // The authors count epsilon once for each value held.
  double counted(std::uint32_t most) const {
    return settings_.epsilon * std::min(settings_.max_changes + 1, most);
  }

  CategorySettings settings_;
};

}  // namespace futurerand
