// Looks at one write-ahead log file of RocksDB before RocksDB may drop anything from it: is it
// whole, does it merely end inside a record (a crash while writing: nobody was told that it is
// durable), or is it damaged earlier (what follows was promised to someone)? RocksDB alone cannot
// be asked: it either refuses both or drops both.
//
// The format is that of leveldb's log_format: blocks of 32 KiB; records of checksum, length and
// type; a group that crosses blocks is cut into first, middle and last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace futurerand {

enum class WalHealth { kWhole, kTornTail, kDamaged };

struct WalScan {
  WalHealth health = WalHealth::kWhole;
  std::uint64_t offset = 0;  // of the first group that cannot be read
  std::string what;          // what is wrong there
};

WalScan scan_wal(std::string_view file);

}  // namespace futurerand
