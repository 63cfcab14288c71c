// CRC-32C (Castagnoli): the checksum of log groups, and the one that RocksDB puts on log records.
#pragma once

#include <cstdint>
#include <string_view>

namespace futurerand {

// extend_crc32c(extend_crc32c(0, a), b) is the checksum of a followed by b.
std::uint32_t extend_crc32c(std::uint32_t crc, std::string_view bytes);

}  // namespace futurerand
