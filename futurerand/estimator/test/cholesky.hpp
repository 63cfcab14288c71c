// Linear equations of symmetric positive definite matrices, for tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace futurerand::test {

// Works in place: a becomes its lower Cholesky factor. Requires a to be positive definite.
template <typename Real>
void factorise(std::vector<std::vector<Real>>& a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Real sum = a[i][j];
      for (std::size_t m = 0; m < j; ++m) sum -= a[i][m] * a[j][m];
      a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
    }
  }
}

// Solves A x = b, given the factor of A.
template <typename Real>
std::vector<Real> solve(const std::vector<std::vector<Real>>& factor, std::vector<Real> b) {
  const std::size_t n = factor.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= factor[i][j] * b[j];
    b[i] /= factor[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= factor[j][i] * b[j];
    b[i] /= factor[i][i];
  }
  return b;
}

}  // namespace futurerand::test
