#include "futurerand/core/privacy/shuffle.hpp"

#include <cmath>
#include <string>

namespace futurerand {
namespace {

// Past this budget no population is large enough.
constexpr int kMostEpsilon = 24;

}  // namespace

Result<double> shuffled_epsilon(double local_epsilon, std::uint64_t num_users, double delta) {
  if (!(delta > 0 && delta < 1)) {
    return Error{"delta " + std::to_string(delta) + " is out of range; expected 0 to 1"};
  }
  if (!(local_epsilon >= 0 && local_epsilon <= kMostEpsilon)) {
    return Error{"epsilon " + std::to_string(local_epsilon) +
                 " is out of the range of the bound for shuffling; expected 0 to " +
                 std::to_string(kMostEpsilon)};
  }
  const double users = static_cast<double>(num_users);
  const double least = std::ceil(std::exp(local_epsilon) * 16 * std::log(2 / delta));
  if (users < least) {
    return Error{"the bound for shuffling needs at least " +
                 std::to_string(static_cast<std::uint64_t>(least)) + " users"};
  }
  const double e = std::exp(local_epsilon);
  const double spread = 8 * std::sqrt(e * std::log(4 / delta) / users) + 8 * e / users;
  return std::log1p(std::tanh(local_epsilon / 2) * spread);
}

}  // namespace futurerand
