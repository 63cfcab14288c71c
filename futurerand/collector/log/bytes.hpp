// Bytes of the log and of checkpoints: little-endian words and varints (seven bits a byte, low
// first).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace futurerand {

inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

inline void put_word(std::string& out, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

inline void put_half_word(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

// Small negative numbers stay small: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// Reads encoded bytes. After the first read past the end ok() is false and reads give zeros.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }
  // Rejects an impossible value. The effect is the same as a read past the end.
  void fail() { ok_ = false; }
  std::size_t remaining() const { return rest_.size(); }

  std::string_view take(std::size_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::uint64_t varint() {
    // Most are small.
    if (!rest_.empty() && static_cast<std::uint8_t>(rest_[0]) < 0x80) {
      const auto small = static_cast<std::uint8_t>(rest_[0]);
      rest_.remove_prefix(1);
      return small;
    }
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = take(1);
      if (!ok_) return 0;
      const auto bits = static_cast<std::uint8_t>(byte[0]);
      value |= std::uint64_t{bits & 0x7fU} << shift;
      if ((bits & 0x80U) == 0) return value;
    }
    ok_ = false;
    return 0;
  }

  // Reads a varint of at most 32 bits. A larger value counts as a read past the end.
  std::uint32_t varint32() {
    const std::uint64_t value = varint();
    if (value > UINT32_MAX) ok_ = false;
    return ok_ ? static_cast<std::uint32_t>(value) : 0;
  }

  std::uint64_t word() { return little_endian(take(8)); }
  std::uint32_t half_word() { return static_cast<std::uint32_t>(little_endian(take(4))); }

 private:
  static std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
    }
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace futurerand
