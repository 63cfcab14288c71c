#include "futurerand/collector/log/crc32c.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace futurerand {
namespace {

// Slicing by eight: tables[k][b] is the effect of byte b followed by k zero bytes.
constexpr auto kTables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}();

}  // namespace

std::uint32_t extend_crc32c(std::uint32_t crc, std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  crc = ~crc;
  while (bytes.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
    bytes.remove_prefix(8);
  }
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<std::uint8_t>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace futurerand
