// Pearson's test of counts against given probabilities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

namespace futurerand::test {

// A correct sampler falls below this once in a million seeds; seeds are fixed, so no test is flaky.
inline constexpr double kFalseAlarm = 1e-6;

// Returns P(X > x) for X chi-square with this many degrees of freedom, by the finite sums for even
// and odd ones.
inline double chi_square_tail(double x, std::uint32_t degrees) {
  const bool odd = degrees % 2 == 1;
  double tail = odd ? std::erfc(std::sqrt(x / 2)) : 0;
  double term = odd ? std::sqrt(2 * x / std::numbers::pi) * std::exp(-x / 2) : std::exp(-x / 2);
  for (double a = odd ? 1.5 : 1; 2 * a <= degrees; ++a) {
    tail += term;
    term *= x / 2 / a;
  }
  return tail;
}

// Returns the chance of counts at least as far off, for a sampler of these probabilities. Cells
// with an expectation below 25 are pooled, because the statistic is not chi-square there.
inline double chi_square_p_value(std::span<const std::uint64_t> observed,
                                 std::span<const double> probabilities) {
  double draws = 0;
  for (const std::uint64_t count : observed) draws += static_cast<double>(count);
  double statistic = 0, pooled_observed = 0, pooled_expected = 0;
  std::uint32_t cells = 0;
  const auto add_cell = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const auto count = static_cast<double>(observed[i]);
    const double expected = draws * probabilities[i];
    if (expected >= 25) {
      add_cell(count, expected);
    } else {
      pooled_observed += count;
      pooled_expected += expected;
    }
  }
  // An impossible cell must stay empty. A small pool counts as one more, lenient, cell.
  if (pooled_expected == 0 && pooled_observed > 0) return 0;
  if (pooled_expected > 0) add_cell(pooled_observed, std::max(pooled_expected, 1.0));
  return cells < 2 ? 1 : chi_square_tail(statistic, cells - 1);
}

}  // namespace futurerand::test
