#include "futurerand/core/coding/label.hpp"

#include <cstdint>

namespace futurerand {
namespace {

// Removes one character from the front. Returns false if it is not UTF-8 or a control character.
bool take(std::string_view& text) {
  const auto first = static_cast<std::uint8_t>(text.front());
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc0 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf8 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return false;
  std::uint32_t point = length == 1 ? first : first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return false;
    point = point << 6 | (byte & 0x3f);
  }
  text.remove_prefix(length);
  // The shortest form only; no surrogates; nothing past Unicode's end.
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < kLeast[length] || point > 0x10ffff) return false;
  if (point >= 0xd800 && point <= 0xdfff) return false;
  return point >= 0x20 && (point < 0x7f || point > 0x9f);
}

}  // namespace

bool is_readable(std::string_view text) {
  while (!text.empty()) {
    if (!take(text)) return false;
  }
  return true;
}

}  // namespace futurerand
