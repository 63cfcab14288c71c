// A position without a change under a quiet law: sixteen uniform bits make one symbol, exactly.
#pragma once

#include <cstdint>

#include "futurerand/core/law/law.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand {

inline constexpr std::uint32_t kQuietUnitsPerWord = 4;

// Requires i < kQuietUnitsPerWord: the symbol of the i-th sixteen bits of a uniform word.
constexpr Sign quiet_symbol(std::uint64_t word, std::uint32_t i, std::uint32_t speak) {
  const std::uint32_t unit = (word >> (16 * i)) % QuietLaw::kUnits;
  if (unit >= speak) return Sign::kSilent;
  return sign_of(unit < speak / 2);
}

}  // namespace futurerand
