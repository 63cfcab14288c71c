// What a device of `innovation` sends, by nothing but the definition (innovation_randomizer.hpp):
// all values so far, the sum over lags, a search of the stock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "futurerand/core/law/shapes/weighted_threshold_law.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand::test {

class InnovationDefinition {
 public:
  InnovationDefinition(const WeightedThresholdLaw& law, const SignVector& noise)
      : law_(law), noise_(noise), used_(law.levels.size()) {}

  bool quiet() const { return law_.nonzero < 65'536; }
  std::uint32_t coin_bits() const { return quiet() ? 8 : 1; }
  std::uint64_t num_decisions() const { return std::uint64_t{1} << (32 - coin_bits()); }

  // Returns for how many decisions the next period sends noise, if it has this value: those v for
  // which floor(v G / 2^B) < |U|.
  std::uint64_t num_using(bool value) const {
    const std::optional<std::size_t> level = level_for(std::abs(innovation(value)));
    if (!level) return 0;
    __extension__ using Wide = unsigned __int128;
    const auto size = static_cast<Wide>(std::abs(innovation(value)));
    const Wide gap = law_.levels[*level].gap;
    return static_cast<std::uint64_t>(
        std::min<Wide>((size * num_decisions() + gap - 1) / gap, num_decisions()));
  }

  // Churn the next period.
  Sign next(bool value, std::uint32_t unit) {
    const bool uses_noise = unit >> coin_bits() < num_using(value);
    const std::int64_t wanted = innovation(value);
    values_.push_back(value);
    if (!uses_noise) return coin_of(unit);
    const std::size_t level = *level_for(std::abs(wanted));
    std::uint32_t position = used_[level]++;
    for (std::size_t l = 0; l < level; ++l) position += law_.levels[l].stock;
    return wanted < 0 ? reversed(noise_.at(position)) : noise_.at(position);
  }

 private:
  std::int64_t gap(std::size_t l) const { return static_cast<std::int64_t>(law_.levels[l].gap); }

  std::int64_t innovation(bool value) const {
    const std::size_t m = law_.levels.size() - 1;
    std::int64_t innovation = (value ? gap(0) + gap(m) : 0) - gap(m);
    for (std::size_t j = 1; j <= m && j <= values_.size(); ++j) {
      if (values_[values_.size() - j]) innovation -= gap(j - 1) - gap(j);
    }
    return innovation;
  }

  std::optional<std::size_t> level_for(std::int64_t size) const {
    std::optional<std::size_t> highest, lowest_that_serves;
    for (std::size_t l = 0; l < used_.size(); ++l) {
      if (used_[l] == law_.levels[l].stock) continue;
      if (!highest) highest = l;
      if (gap(l) >= size) lowest_that_serves = l;
    }
    return lowest_that_serves ? lowest_that_serves : highest;
  }

  Sign coin_of(std::uint32_t unit) const {
    if (!quiet()) return unit % 2 == 1 ? Sign::kMinus : Sign::kPlus;
    const std::uint32_t spoken = law_.nonzero / 256;
    if (unit % 256 < spoken / 2) return Sign::kMinus;
    return unit % 256 < spoken ? Sign::kPlus : Sign::kZero;
  }

  const WeightedThresholdLaw& law_;
  SignVector noise_;
  std::vector<std::uint32_t> used_;
  std::vector<bool> values_;
};

}  // namespace futurerand::test
