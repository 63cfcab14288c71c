// gzip bodies, with a limit on what comes out: a small body may claim to be a huge one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace futurerand {

enum class Inflated { kOk, kDamaged, kTooLarge };

// Lines of reports shrink to a fifth, those of one device alone to a thirtieth. Who sends what
// shrinks much more wants to make work: so many bytes of text for each one that came.
inline constexpr std::size_t kMaxExpansion = 64;
// What any small body may unpack to.
inline constexpr std::size_t kAlwaysUnpacked = 64 << 10;

// On kOk `out` holds the text. Never holds more than max_bytes.
Inflated inflate_gzip(std::string_view compressed, std::size_t max_bytes, std::string& out);

// For tests and clients.
std::string deflate_gzip(std::string_view text);

}  // namespace futurerand
