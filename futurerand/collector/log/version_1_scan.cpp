#include "futurerand/collector/log/version_1_scan.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "futurerand/collector/log/crc32c.hpp"

namespace futurerand {
namespace {

constexpr std::uint64_t kBlock = 32768;
constexpr std::uint64_t kHeader = 7;

enum RecordType : std::uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct WalRecord {
  std::uint32_t checksum;
  std::uint64_t length;
  std::uint8_t type;
};

std::uint32_t unmask(std::uint32_t masked) { return std::rotl(masked - 0xa282ead8U, 15); }

// Requires kHeader bytes at `offset`.
WalRecord header_at(std::string_view file, std::uint64_t offset) {
  const auto byte = [&](std::uint64_t i) {
    return static_cast<std::uint32_t>(static_cast<std::uint8_t>(file[offset + i]));
  };
  return {unmask(byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24), byte(4) | byte(5) << 8,
          static_cast<std::uint8_t>(byte(6))};
}

bool checks(std::string_view file, std::uint64_t offset, const WalRecord& record,
            std::uint64_t length) {
  // The checksum covers the type and what follows it.
  return crc32c({file.substr(offset + kHeader - 1, 1 + length)}) == record.checksum;
}

bool is_valid_at(std::string_view file, std::uint64_t offset) {
  const std::uint64_t in_block = kBlock - offset % kBlock;
  if (in_block < kHeader || offset + kHeader > file.size()) return false;
  const WalRecord record = header_at(file, offset);
  return record.type >= kFull && record.type <= kLast && kHeader + record.length <= in_block &&
         offset + kHeader + record.length <= file.size() &&
         checks(file, offset, record, record.length);
}

// Every block starts with a record, so that damage cannot hide what follows it for long.
bool has_record_after(std::string_view file, std::uint64_t offset) {
  const std::uint64_t block_end = (offset / kBlock + 1) * kBlock;
  for (std::uint64_t at = offset + 1; at < std::min<std::uint64_t>(block_end, file.size()); ++at) {
    if (is_valid_at(file, at)) return true;
  }
  for (std::uint64_t at = block_end; at < file.size(); at += kBlock) {
    if (is_valid_at(file, at)) return true;
  }
  return false;
}

}  // namespace

WalScan scan_wal(std::string_view file) {
  std::uint64_t offset = 0;
  std::uint64_t group = 0;
  bool inside = false;
  const auto torn = [&](std::string what) {
    return WalScan{WalHealth::kTornTail, group, std::move(what)};
  };
  const auto bad = [&](const std::string& what) {
    return WalScan{WalHealth::kDamaged, offset, what};
  };
  while (offset < file.size()) {
    const std::uint64_t in_block = kBlock - offset % kBlock;
    if (in_block < kHeader) {
      offset += in_block;
      continue;
    }
    if (!inside) group = offset;
    const std::uint64_t rest = file.size() - offset;
    if (rest < kHeader) return torn("the file ends inside a record's header");
    if (file.find_first_not_of('\0', offset) == file.npos) {
      return torn("only zeros follow");  // room that was reserved and never written
    }
    const WalRecord record = header_at(file, offset);
    const bool whole = kHeader + record.length <= std::min(in_block, rest);
    if (!whole || record.type < kFull || record.type > kLast ||
        !checks(file, offset, record, record.length)) {
      if (has_record_after(file, offset))
        return bad("a record that cannot be read before good ones");
      // A length that was changed points past the end of the file, as a torn record's does; but
      // then the bytes that are there match the checksum.
      const std::uint64_t there = std::min(in_block, rest) - kHeader;
      if (whole || kHeader + record.length > in_block || checks(file, offset, record, there)) {
        return bad("checksum mismatch");
      }
      return torn("the file ends inside a record");
    }
    const bool starts = record.type == kFull || record.type == kFirst;
    if (starts == inside) return bad("records out of order");
    inside = record.type == kFirst || record.type == kMiddle;
    offset += kHeader + record.length;
  }
  if (inside) return torn("the file ends between the records of a group");
  return {};
}

}  // namespace futurerand
