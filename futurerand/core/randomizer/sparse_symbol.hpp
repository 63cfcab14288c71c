// Under a sparse law sixteen uniform bits make the symbol of a position without a change, exactly.
#pragma once

#include <cstdint>

#include "futurerand/core/law/law.hpp"
#include "futurerand/core/randomizer/sign_vector.hpp"

namespace futurerand {

inline constexpr std::uint32_t kSparseUnitsPerWord = 4;

// Returns the symbol of the i-th sixteen bits of a uniform word. Requires i < kSparseUnitsPerWord.
// A word of fewer bits, as tests use them, has shorter units, and the lowest bits of `nonzero` do
// not count.
template <int kWordBits = 64>
constexpr Sign sparse_symbol(std::uint64_t word, std::uint32_t i, std::uint32_t nonzero) {
  constexpr std::uint32_t kUnitBits = kWordBits / kSparseUnitsPerWord;
  static_assert(SparseLaw::kUnits >> (16 - kUnitBits) == 1U << kUnitBits);
  const std::uint32_t unit = (word >> (kUnitBits * i)) % (1U << kUnitBits);
  const std::uint32_t spoken = nonzero >> (16 - kUnitBits);
  if (unit >= spoken) return Sign::kZero;
  return sign_of(unit < spoken / 2);
}

}  // namespace futurerand
