// How a report writes its signs: one character each, '+', '-' or, where the law of the device's
// view may be silent, '0'. Devices, lines, the log and the fold all use this codec.
#pragma once

#include <string_view>

#include "futurerand/core/base/sign.hpp"

namespace futurerand {

inline constexpr char kPlusSymbol = '+';
inline constexpr char kMinusSymbol = '-';
inline constexpr char kZeroSymbol = '0';

constexpr char to_symbol(Sign sign) {
  if (sign == Sign::kZero) return kZeroSymbol;
  return sign == Sign::kMinus ? kMinusSymbol : kPlusSymbol;
}

// Requires a symbol.
constexpr Sign to_sign(char symbol) {
  if (symbol == kZeroSymbol) return Sign::kZero;
  return sign_of(symbol == kMinusSymbol);
}

// Tells whether these are the symbols of at least one sign. It has no branches, because collectors
// ask it of every report.
inline bool are_symbols(std::string_view symbols, bool may_be_zero) {
  bool good = !symbols.empty();
  for (const char c : symbols) {
    good &= static_cast<bool>((c == kPlusSymbol) | (c == kMinusSymbol) |
                              (may_be_zero & (c == kZeroSymbol)));
  }
  return good;
}

}  // namespace futurerand
