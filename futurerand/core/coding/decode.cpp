#include "futurerand/core/coding/decode.hpp"

#include <cstddef>

#include "futurerand/core/coding/row.hpp"

namespace futurerand {

void walsh_hadamard(std::span<double> a) {
  for (std::size_t half = 1; half < a.size(); half *= 2) {
    for (std::size_t start = 0; start < a.size(); start += 2 * half) {
      double* const even = a.data() + start;
      double* const odd = even + half;
      for (std::size_t i = 0; i < half; ++i) {
        const double sum = even[i] + odd[i];
        odd[i] = even[i] - odd[i];
        even[i] = sum;
      }
    }
  }
}

// The transform of coding.md's formula. A row's sign is -(-1)^popcount(row & code).
void decode_counts(const Coding& coding, std::span<double> sums, double devices) {
  const double share = 1.0 / coding.num_codes();
  sums[0] = devices * share;
  for (CodingRow row = 1; row <= coding.num_rows(); ++row) {
    sums[row] *= -share * inverse_chance(coding, row);
  }
  walsh_hadamard(sums);
}

double decode_count(const Coding& coding, std::span<const double> sums, double devices,
                    std::uint32_t code) {
  double total = devices;
  for (CodingRow row = 1; row <= coding.num_rows(); ++row) {
    const double weighted = sums[row] * inverse_chance(coding, row);
    total += Coding::state(row, code) == 1 ? weighted : -weighted;
  }
  return total / coding.num_codes();
}

std::vector<double> cumulative_counts(std::span<const double> counts) {
  std::vector<double> below(counts.size() + 1);
  for (std::size_t v = 0; v < counts.size(); ++v) below[v + 1] = below[v] + counts[v];
  return below;
}

}  // namespace futurerand
