// HeldCounts: the number of simulated users by value and period. It turns values into the figures
// of a simulation: one count for yes/no and numbers, the count of each label, or for a distribution
// the number of values below each inner threshold.
//
// Thread safety: one thread at a time; each worker has its own, and they are merged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/coding/coding.hpp"

namespace futurerand {

// Returns how many figures a period has.
std::size_t num_figures(const Coding& coding);
// Returns the name of each: labels, or "below X" for thresholds. Empty if there is one figure.
std::vector<std::string> figure_names(const Coding& coding);

class HeldCounts {
 public:
  HeldCounts(const Coding& coding, Period num_periods);

  // From this period on a user holds a value, or no longer does. Zeros of yes/no and numbers count
  // nothing. Requires 1 <= period <= num_periods + 1.
  void start(Period period, std::uint32_t value) { add(period, value, 1); }
  void end(Period period, std::uint32_t value) { add(period, value, -1); }

  void merge(const HeldCounts& other);

  // Returns all figures of period 1, then all of period 2, and so on.
  std::vector<double> figures() const;

 private:
  void add(Period period, std::uint32_t value, std::int64_t times) {
    if (num_codes_ == 1) {
      steps_[period - 1] += times * value;
    } else {
      steps_[(period - 1) * num_codes_ + value] += times;
    }
  }

  Coding coding_;
  std::size_t num_codes_;            // 1 if devices ask no questions of rows
  std::vector<std::int64_t> steps_;  // by period and code: by how much more is held than before
};

}  // namespace futurerand
