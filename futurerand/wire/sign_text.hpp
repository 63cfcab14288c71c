// How a line writes signs: one character each, '+', '-', or '0' for a zero symbol. Signs are packed
// everywhere else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/core/base/packed_signs.hpp"

namespace futurerand {

inline constexpr char kPlusSymbol = '+';
inline constexpr char kMinusSymbol = '-';
inline constexpr char kZeroSymbol = '0';

inline std::string to_text(const PackedSigns& signs) {
  std::string text(signs.size(), kPlusSymbol);
  for (std::uint32_t i = 0; i < signs.size(); ++i) {
    const Sign sign = signs[i];
    if (sign != Sign::kPlus) text[i] = sign == Sign::kMinus ? kMinusSymbol : kZeroSymbol;
  }
  return text;
}

// Overwrites the signs. Returns false, with some of the signs, if a character is none of the three.
// It has no branch for a character, because collectors read millions of them a second.
inline bool parse_signs(std::string_view text, PackedSigns& signs) {
  signs.clear();
  while (!text.empty()) {
    const std::string_view some = text.substr(0, std::min<std::size_t>(text.size(), 64));
    std::uint64_t minus = 0, zero = 0;
    bool good = true;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const bool is_minus = some[i] == kMinusSymbol, is_zero = some[i] == kZeroSymbol;
      minus |= std::uint64_t{is_minus} << i;
      zero |= std::uint64_t{is_zero} << i;
      good &= static_cast<bool>(is_minus | is_zero | (some[i] == kPlusSymbol));
    }
    if (!good) return false;
    signs.append(static_cast<std::uint32_t>(some.size()), minus, zero);
    text.remove_prefix(some.size());
  }
  return true;
}

}  // namespace futurerand
