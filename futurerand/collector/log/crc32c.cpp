#include "futurerand/collector/log/crc32c.hpp"

#include <array>
#include <cstring>

namespace futurerand {
namespace {

using Crc32cTables = std::array<std::array<std::uint32_t, 256>, 8>;

// Element [k][byte] is the effect of a byte on the checksum when k more bytes follow it.
constexpr Crc32cTables crc32c_tables() {
  Crc32cTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0x82f63b78U : 0);
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Crc32cTables kCrc32cTables = crc32c_tables();

std::uint32_t crc32c_portable(std::uint32_t crc, std::string_view bytes) {
  const auto at = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i]));
  };
  while (bytes.size() >= 8) {
    crc ^= at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
    crc = kCrc32cTables[7][crc & 0xff] ^ kCrc32cTables[6][crc >> 8 & 0xff] ^
          kCrc32cTables[5][crc >> 16 & 0xff] ^ kCrc32cTables[4][crc >> 24] ^
          kCrc32cTables[3][at(4)] ^ kCrc32cTables[2][at(5)] ^ kCrc32cTables[1][at(6)] ^
          kCrc32cTables[0][at(7)];
    bytes.remove_prefix(8);
  }
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kCrc32cTables[0][(crc ^ static_cast<std::uint8_t>(byte)) & 0xff];
  }
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse(std::uint32_t crc,
                                                           std::string_view bytes) {
  std::uint64_t wide = crc;
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    wide = __builtin_ia32_crc32di(wide, word);
    bytes.remove_prefix(8);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (const char byte : bytes) {
    narrow = __builtin_ia32_crc32qi(narrow, static_cast<unsigned char>(byte));
  }
  return narrow;
}
#endif

std::uint32_t crc32c_more(std::uint32_t crc, std::string_view bytes) {
#if defined(__x86_64__)
  static const bool fast = __builtin_cpu_supports("sse4.2") != 0;
  if (fast) return crc32c_sse(crc, bytes);
#endif
  return crc32c_portable(crc, bytes);
}

}  // namespace

std::uint32_t crc32c(std::initializer_list<std::string_view> parts) {
  std::uint32_t crc = ~0U;
  for (const std::string_view part : parts) crc = crc32c_more(crc, part);
  return ~crc;
}

}  // namespace futurerand
