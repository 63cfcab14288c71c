#include "futurerand/audit/every_noise.hpp"

namespace futurerand {

EveryNoise::EveryNoise(const WeightedThresholdLaw& law)
    : base_(law.may_be_zero() ? 3 : 2), null_bits_(law.rarity() + 1) {
  silent_ = (std::uint64_t{1} << null_bits_) - 2;
  powers_.push_back(1);
  for (std::uint32_t j = 0; j < law.num_signs; ++j) powers_.push_back(powers_.back() * base_);
  // First each vector gets its null weight, and then the probability of its side.
  std::vector<bool> is_high;
  BigInt loud = 0, rest = 0;
  for (std::uint32_t vector = 0; vector < powers_.back(); ++vector) {
    std::int64_t score = 0;
    std::uint32_t position = 0;
    BigInt null = 1;
    for (const auto& level : law.levels) {
      for (std::uint32_t i = 0; i < level.count; ++i, ++position) {
        const std::uint32_t symbol = digit(vector, position);
        null *= null_weight(symbol);
        if (symbol != kZero) score += symbol == kMinus ? -std::int64_t{level.weight} : level.weight;
      }
    }
    is_high.push_back(score >= std::int64_t{law.theta});
    (is_high.back() ? loud : rest) += null;
    weights_.push_back(null);
  }
  // The high side has probability T and the rest 1 - T, here times 2^64 loud rest.
  const BigInt of_high = BigInt(law.high_side) * rest;
  const BigInt of_rest = complement(law.high_side) * loud;
  for (std::size_t v = 0; v < weights_.size(); ++v) weights_[v] *= is_high[v] ? of_high : of_rest;
}

const std::vector<BigInt>& EveryNoise::weights_at(std::uint32_t mask) {
  std::vector<BigInt>& sums = by_mask_[mask];
  if (!sums.empty()) return sums;
  sums.resize(weights_.size());
  for (std::uint32_t vector = 0; vector < weights_.size(); ++vector) {
    std::uint32_t symbols = 0;
    for (std::uint32_t j = 0; j + 1 < powers_.size(); ++j) {
      if ((mask >> j) & 1U) symbols += digit(vector, j) * powers_[j];
    }
    sums[symbols] += weights_[vector];
  }
  return sums;
}

}  // namespace futurerand
