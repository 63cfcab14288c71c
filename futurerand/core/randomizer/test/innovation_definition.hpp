// The reports of an `innovation` device straight from the definition (core/law/innovation.md): all
// values so far, the sums over lags, a search of all levels.
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
  __extension__ using Wide = unsigned __int128;

  InnovationDefinition(const WeightedThresholdLaw& law, const SignVector& noise,
                       std::int64_t full_scale = 1, std::int64_t phase = 0)
      : law_(law), noise_(noise), x_(full_scale), phase_(phase), used_(law.levels.size()) {
    const auto level_gap = [&](std::size_t l) {
      return static_cast<std::int64_t>(law_.levels[l].gap);
    };
    const std::size_t all = law_.levels.size() - 1;
    half_ = law_.start_levels > 0;
    m_ = half_ ? law_.start_levels : all;
    const bool changes = all == (half_ ? 2 * m_ : m_);
    for (std::size_t j = 0; j < m_; ++j) {
      std::vector<std::int64_t> limits;
      if (changes) limits.push_back(level_gap(j));
      if (half_) limits.push_back(2 * level_gap(all - m_ + j) - level_gap(all));
      if (j > 0) limits.push_back(gaps_.back());
      gaps_.push_back(*std::min_element(limits.begin(), limits.end()));
    }
    gaps_.push_back(level_gap(all));
  }

  bool sparse() const { return law_.nonzero < 65'536; }
  std::uint32_t coin_bits() const { return sparse() ? 8 : 1; }
  std::uint64_t num_decisions() const { return std::uint64_t{1} << (32 - coin_bits()); }

  // Returns how many decisions take the higher of two levels, if the next period has this value.
  // They are the first ones.
  std::uint64_t num_high(std::int64_t value) const {
    InnovationDefinition later = *this;
    later.advance(value);
    return later.choice().num_high;
  }

  // Sends the next period.
  Sign next(std::int64_t value, std::uint32_t unit) {
    advance(value);
    const Choice found = choice();
    const std::optional<std::size_t> level =
        unit >> coin_bits() < found.num_high ? found.high : found.low;
    if (!level) return coin_of(unit);
    std::uint32_t position = used_[*level]++;
    for (std::size_t l = 0; l < *level; ++l) position += law_.levels[l].count;
    return found.negative ? reversed(noise_.at(position)) : noise_.at(position);
  }

 private:
  struct Choice {
    std::optional<std::size_t> low, high;  // levels
    std::uint64_t num_high = 0;            // decisions for high
    bool negative = false;
  };

  void advance(std::int64_t value) {
    values_.push_back(value);
    if (!half_ || values_.size() > 1) phase_ += std::abs(x(0) - x(1));
    if (phase_ < x_) return;
    phase_ -= x_;
    event_ = values_.size();
  }

  Choice choice() const {
    std::int64_t v = (gaps_[0] + gaps_[m_]) * y(0);
    for (std::size_t i = 1; i <= m_; ++i) v -= (gaps_[i - 1] - gaps_[i]) * y(i);
    const Wide target = target_of(static_cast<std::uint64_t>(std::abs(v)));
    // Levels by gap, of equal ones the later first.
    std::vector<std::size_t> left;
    for (std::size_t l = law_.levels.size(); l-- > 0;) {
      if (used_[l] < law_.levels[l].count) left.push_back(l);
    }
    std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
      return law_.levels[a].gap < law_.levels[b].gap;
    });
    Choice found;
    found.negative = v < 0;
    for (const std::size_t l : left) {
      if (Wide{law_.levels[l].gap} << 24 >= target) {
        found.high = l;
        break;
      }
      found.low = l;
    }
    if (!found.high) return found;
    // Those decisions v with v (to - from) < (target - from) 2^B.
    const Wide from = found.low ? Wide{law_.levels[*found.low].gap} << 24 : 0;
    const Wide span = (Wide{law_.levels[*found.high].gap} << 24) - from;
    found.num_high =
        static_cast<std::uint64_t>(((target - from) * num_decisions() + span - 1) / span);
    return found;
  }

  // The value this many periods ago; before joining 0 counts as held.
  std::int64_t x(std::size_t ago) const {
    return ago < values_.size() ? values_[values_.size() - 1 - ago] : 0;
  }
  std::int64_t y(std::size_t ago) const {
    if (half_ && ago >= values_.size()) return 0;
    return 2 * x(ago) - x_;
  }

  Wide target_of(std::uint64_t size) const {
    const std::size_t lag = values_.size() - 1;
    const std::size_t a = half_ ? std::min(lag, m_) : m_;
    std::int64_t mean = x_ * (gaps_[m_] + gaps_[a]), variation = 0;
    for (std::size_t i = 1; i <= a; ++i) {
      variation += std::abs(x(i - 1) - x(i));
      mean += 2 * (gaps_[i - 1] - gaps_[i]) * std::min(x_, variation);
    }
    std::int64_t drawn = gaps_[m_] + gaps_[a];
    const std::size_t age = values_.size() - event_;
    if (event_ > 0 && age < a) drawn += 2 * (gaps_[age] - gaps_[a]);
    return Wide{size} * static_cast<std::uint64_t>(drawn) * (1 << 23) /
           static_cast<std::uint64_t>(mean);
  }

  Sign coin_of(std::uint32_t unit) const {
    if (!sparse()) return unit % 2 == 1 ? Sign::kMinus : Sign::kPlus;
    const std::uint32_t nonzero = law_.nonzero / 256;
    if (unit % 256 < nonzero / 2) return Sign::kMinus;
    return unit % 256 < nonzero ? Sign::kPlus : Sign::kZero;
  }

  const WeightedThresholdLaw& law_;
  SignVector noise_;
  std::int64_t x_;  // X
  std::int64_t phase_;
  std::size_t event_ = 0;  // the period of the last wrap of the phase
  bool half_;
  std::size_t m_;
  std::vector<std::int64_t> gaps_;  // of the filter
  std::vector<std::uint32_t> used_;
  std::vector<std::int64_t> values_;
};

}  // namespace futurerand::test
