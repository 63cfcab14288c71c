// PulseFilter: counts from differences of counts, for plans of `pulse`. Reports of a class with
// window b measure x_t - x_(t-b), with x = 0 before period 1. The estimate of x_t is the least
// squares solution of all of them, and of their sums: a device has a fixed number of pulses, so the
// errors of its class nearly cancel over the whole horizon. core/law/pulse.md has the formulas.
//
// The filter keeps the last counts as one Gaussian in information form. Older ones are eliminated.
//
// Thread safety: a plain value; const calls may run at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/law/shapes/pulse_law.hpp"

namespace futurerand {

class PulseFilter {
 public:
  // The difference that one class measures in one period. Its information is 1 / variance, and 0 if
  // nothing was measured.
  struct Difference {
    double value = 0;
    double information = 0;
  };
  struct Estimate {
    double value;
    double variance;  // if nobody changes
  };

  explicit PulseFilter(std::vector<PulseLaw> classes);

  // Adds the next period, one difference for each class. If none was measured, the count is taken
  // to have moved by `usual_step` or so. Requires usual_step > 0.
  void advance(std::span<const Difference> by_class, double usual_step);
  // Estimates the last period. Requires at least one call of advance().
  Estimate estimate() const;

  // How much each difference of a class counts in the last estimate; element s-1 is period s.
  // `response` is response(), and informations[s-1] is what advance() was told of this class.
  std::vector<double> weights(std::size_t which, const std::vector<double>& response,
                              const std::vector<double>& informations) const;
  // By how much the last estimate moves if the right-hand side of each period's normal equation
  // does; element s-1 is period s.
  std::vector<double> response() const;

 private:
  struct Sum {
    double value = 0;
    double variances = 0;
    bool complete = true;  // it was measured in every period
  };

  double& at(std::size_t i, std::size_t j) { return information_[i * width_ + j]; }
  void eliminate_oldest();
  // Factors the information of the kept counts with all sums; lower triangle.
  std::vector<double> factor() const;
  // How many of the last counts the sum of all differences of a class covers, and how much it
  // counts.
  std::size_t covered(std::size_t which) const;
  double sum_information(std::size_t which) const;

  std::vector<PulseLaw> classes_;
  std::size_t width_;                // counts that are kept at most: the longest window and one
  std::size_t size_ = 0;             // counts that are kept
  Period period_ = 0;                // the last one
  std::vector<double> information_;  // lower triangle, width_ numbers a row; the oldest is first
  std::vector<double> right_side_;
  std::vector<Sum> sums_;                        // by class
  std::vector<std::vector<double>> eliminated_;  // by period: how it follows from the kept ones
};

}  // namespace futurerand
