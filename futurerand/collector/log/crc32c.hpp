// CRC-32C (Castagnoli): the checksum of everything in the data folder.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace futurerand {

// Returns the checksum of the parts one after the other.
std::uint32_t crc32c(std::initializer_list<std::string_view> parts);

}  // namespace futurerand
