#include "futurerand/rivals/memoized_bits.hpp"

#include <array>

#include "futurerand/simulator/engines/bernoulli.hpp"

namespace futurerand {
namespace {

// Counts how the number of ones steps at each period.
struct Steps {
  std::vector<std::int64_t> up;

  void merge(const Steps& other) {
    for (std::size_t t = 0; t < up.size(); ++t) up[t] += other.up[t];
  }
};

}  // namespace

std::vector<std::uint64_t> count_memoized(const Population& population, const Trial& trial,
                                          const MemoizedBits& bits) {
  const Steps steps = fold_users(
      population, trial.workers, Steps{std::vector<std::int64_t>(population.num_periods())},
      [&](Steps& sum, std::uint64_t user, const Flips& flips) {
        PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
        UniformBits uniform(source);
        const std::array<int, 2> of_value = {bernoulli(uniform, bits.one_if_zero),
                                             bernoulli(uniform, bits.one_if_one)};
        sum.up[0] += of_value[0];
        for (std::size_t i = 0; i < flips.size(); ++i) {
          const int change = of_value[1] - of_value[0];
          sum.up[flips[i] - 1] += i % 2 == 0 ? change : -change;
        }
      });
  std::vector<std::uint64_t> ones(steps.up.size());
  std::int64_t now = 0;
  for (std::size_t t = 0; t < ones.size(); ++t) {
    now += steps.up[t];
    ones[t] = static_cast<std::uint64_t>(now);
  }
  return ones;
}

}  // namespace futurerand
