// gzip bodies, with a limit on the output: a small body may unpack to a huge one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace futurerand {

enum class Inflated { kOk, kDamaged, kTooLarge };

// Lines of reports shrink to a fifth, those of one device alone to a thirtieth. A body that shrinks
// much more is an attack. So the unpacked size is limited to a multiple of the received size.
inline constexpr std::size_t kMaxExpansion = 64;
// Any small body may unpack to this.
inline constexpr std::size_t kAlwaysUnpacked = 64 << 10;

// On kOk `out` holds the text. It never holds more than max_bytes.
Inflated inflate_gzip(std::string_view compressed, std::size_t max_bytes, std::string& out);

}  // namespace futurerand
