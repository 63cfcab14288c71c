// gzip bodies, with a limit on what comes out: a small body may claim to be a huge one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace futurerand {

enum class Inflated { kOk, kDamaged, kTooLarge };

// On kOk `out` holds the text. Never holds more than max_bytes.
Inflated inflate_gzip(std::string_view compressed, std::size_t max_bytes, std::string& out);

// For tests and clients.
std::string deflate_gzip(std::string_view text);

}  // namespace futurerand
