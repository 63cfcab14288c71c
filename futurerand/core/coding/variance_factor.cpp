#include "futurerand/core/coding/variance_factor.hpp"

#include <cmath>

namespace futurerand {

double count_factor(const Coding& coding) {
  const double codes = coding.num_codes();
  if (coding.kind() == CodingKind::kDistribution) {
    return 4.0 * coding.bits() / 3 * (1 - 1 / (codes * codes));
  }
  const double sd = 2 * (codes - 1) / codes;
  return sd * sd;
}

// The factor is 4 sum over rows of (coefficient)^2 / chance. Rows of one level have the same
// chance. Their squared coefficients sum to the mean square of the answer averaged over blocks of
// 2^(b-level) codes, minus that of the level above (Parseval).
double cumulative_factor(const Coding& coding, std::uint32_t threshold) {
  const std::uint32_t bits = coding.bits();
  const auto mean_square = [&](std::uint32_t level) {
    const double blocks = static_cast<double>(1U << level);
    const double position = blocks * threshold / coding.num_codes();
    const double whole = std::floor(position), part = position - whole;
    return (whole + part * part) / blocks;
  };
  double factor = 0;
  for (std::uint32_t level = 1; level <= bits; ++level) {
    factor += 4.0 * bits * (1U << (level - 1)) * (mean_square(level) - mean_square(level - 1));
  }
  return factor;
}

double mean_cumulative_factor(std::uint32_t bits) {
  const double b = bits, codes = std::exp2(b);
  return codes / (codes - 1) * (b * b / 3 + 2 * b / 9 * (1 - 1 / (codes * codes)));
}

double mean_factor(std::uint32_t bits) { return bits / 2.0 * (1 - std::exp2(-1.0 * bits)); }

}  // namespace futurerand
