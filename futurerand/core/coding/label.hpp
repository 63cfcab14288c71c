// The form of labels, texts and units: readable UTF-8 of bounded length.
#pragma once

#include <cstddef>
#include <string_view>

namespace futurerand {

inline constexpr std::size_t kMaxLabelBytes = 64;
inline constexpr std::size_t kMaxUnitBytes = 32;

// Tells whether this is UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F).
bool is_readable(std::string_view text);

// Tells whether this is readable and has 1 to kMaxLabelBytes bytes.
inline bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabelBytes && is_readable(text);
}

}  // namespace futurerand
