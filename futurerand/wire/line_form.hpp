// The forms and ranges that both line parsers check.
#pragma once

#include <string_view>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/plan/report.hpp"
#include "futurerand/wire/sign_text.hpp"

namespace futurerand {

inline constexpr std::size_t kHexDigits = 32;
// No valid plan has so many views.
inline constexpr std::uint32_t kMaxView = 999;
// A report of every index of the longest horizon fits.
inline constexpr std::size_t kMaxWireLineBytes = std::size_t{2} * kMaxPeriods;

constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Digits are lower case only, so that one id has one spelling. Requires kHexDigits characters.
inline bool decode_hex(std::string_view hex, ClientId& id) {
  int wrong = 0;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    const int high = hex_value(hex[2 * i]);
    const int low = hex_value(hex[2 * i + 1]);
    wrong |= high | low;  // negative if either is
    id.bytes[i] = static_cast<std::uint8_t>((high & 15) << 4 | (low & 15));
  }
  return wrong >= 0;
}

// Reads at least one sign, and none past the longest horizon.
inline bool read_signs(std::string_view text, std::uint32_t first_index, PackedSigns& signs) {
  return !text.empty() && text.size() <= kMaxPeriods + 1 - first_index && parse_signs(text, signs);
}

}  // namespace futurerand
