// The loss of memoizing protocols over a whole sequence.
//
// A device draws one permanent answer for each value, once. In every period it sends a fresh answer
// from the permanent one of its value. Authors count epsilon once for each value held. But reports
// reveal the periods with a common permanent answer. The loss therefore grows with the number of
// periods.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"

namespace futurerand {

// One independent part of a report: one of two or three kinds of cells. The permanent answer of the
// first value is a cell of kind m with chance first[m], that of the second value with second[m].
// The fresh answer is e^log_ratio times as likely to be the permanent cell as any other cell.
struct MemoizedPart {
  std::array<double, 3> first;
  std::array<double, 3> second;
  std::uint32_t kinds;  // 2 or 3
  double log_ratio;
  double third_cells = 1;  // the number of cells of the third kind, each with the chance above
  double copies = 1;       // of this part, independent of each other
};

// The part of a GRR over `cells` cells: the first value's own cell, the second value's, the others.
MemoizedPart memoized_grr(std::uint32_t cells, double own, double other, double log_ratio);

// Returns the largest log ratio of the chances of any reports. It covers all pairs of sequences of
// two values with at most `max_changes` changes. Either value may come first. Beyond 16 periods and
// one change it skips pairs with all four kinds of periods (both first, first and second, second
// and first, both second). Up to 64 periods this changes nothing. Beyond 32 periods the numbers of
// periods of each kind are searched, not enumerated.
double memoized_loss(const std::vector<MemoizedPart>& parts, Period num_periods,
                     std::uint32_t max_changes);

// The same if both sequences start with the first value and change once.
double memoized_loss_from_zero(const std::vector<MemoizedPart>& parts, Period num_periods);

}  // namespace futurerand
