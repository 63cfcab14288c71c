#include "futurerand/collector/log/version_1_scan.hpp"

#include <bit>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/collector/log/crc32c.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kBlock = 32768;

// Writes as leveldb and RocksDB do.
class WalWriter {
 public:
  void group(std::size_t size) {
    std::string payload(size, '\0');
    for (char& byte : payload) byte = static_cast<char>(random_());
    std::string_view rest = payload;
    bool first = true;
    starts_.push_back(file_.size());
    do {
      std::size_t room = kBlock - file_.size() % kBlock;
      if (room < 7) {
        file_.append(room, '\0');
        room = kBlock;
      }
      const std::string_view part = rest.substr(0, room - 7);
      rest.remove_prefix(part.size());
      record(part, first, rest.empty());
      first = false;
    } while (!rest.empty());
  }
  const std::string& file() const { return file_; }
  std::size_t start(std::size_t group) const { return starts_[group]; }

 private:
  void record(std::string_view part, bool first, bool last) {
    const char type = first ? (last ? 1 : 2) : (last ? 4 : 3);
    const std::uint32_t crc = crc32c({std::string_view(&type, 1), part});
    const std::uint32_t masked = std::rotr(crc, 15) + 0xa282ead8U;
    for (int shift = 0; shift < 32; shift += 8) file_.push_back(static_cast<char>(masked >> shift));
    file_.push_back(static_cast<char>(part.size()));
    file_.push_back(static_cast<char>(part.size() >> 8));
    file_.push_back(type);
    file_ += part;
  }

  std::string file_;
  std::vector<std::size_t> starts_;
  std::mt19937 random_{1};
};

WalWriter some_groups() {
  WalWriter writer;
  for (const std::size_t size : {40UL, 3000UL, 100'000UL, 1UL, 29'000UL, 700UL, 64UL, 64UL})
    writer.group(size);
  return writer;
}

TEST(WalScan, WholeFile) {
  EXPECT_EQ(scan_wal("").health, WalHealth::kWhole);
  EXPECT_EQ(scan_wal(some_groups().file()).health, WalHealth::kWhole);
}

TEST(WalScan, EveryCutIsATornTailOrWhole) {
  const WalWriter writer = some_groups();
  const std::string_view file = writer.file();
  // These are all places near the ends of blocks and of the file, and some elsewhere.
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::size_t in_block = size % kBlock;
    const bool near = in_block < 10 || in_block > kBlock - 10 || size + 80 > file.size();
    if (!near && size % 997 != 0) continue;
    const WalScan scan = scan_wal(file.substr(0, size));
    ASSERT_NE(scan.health, WalHealth::kDamaged) << size << " of " << file.size() << scan.what;
  }
  const WalScan last = scan_wal(file.substr(0, file.size() - 1));
  EXPECT_EQ(last.health, WalHealth::kTornTail);
  EXPECT_EQ(last.offset, writer.start(7));
}

TEST(WalScan, ZerosAtTheEndAreATornTail) {
  const WalWriter writer = some_groups();
  EXPECT_EQ(scan_wal(writer.file() + std::string(5000, '\0')).health, WalHealth::kTornTail);
}

TEST(WalScan, EveryFlippedBitIsDamage) {
  const WalWriter writer = some_groups();
  std::mt19937 random(2);
  std::string file = writer.file();
  const auto flip_and_scan = [&](std::size_t at) {
    const char bit = static_cast<char>(1 << random() % 8);
    file[at] = static_cast<char>(file[at] ^ bit);
    const WalScan scan = scan_wal(file);
    file[at] = static_cast<char>(file[at] ^ bit);
    return scan;
  };
  for (int i = 0; i < 100; ++i) {
    const std::size_t at = random() % file.size();
    const WalScan scan = flip_and_scan(at);
    // The padding at the end of a block holds nothing.
    if (scan.health == WalHealth::kWhole) {
      ASSERT_GE(at % kBlock, kBlock - 6) << at;
    } else {
      ASSERT_EQ(scan.health, WalHealth::kDamaged) << at << ": " << scan.what;
    }
  }
  // The headers of the first and of the last group are damaged byte by byte.
  for (const std::size_t group : {0UL, 7UL}) {
    for (std::size_t i = 0; i < 7; ++i) {
      const WalScan scan = flip_and_scan(writer.start(group) + i);
      EXPECT_EQ(scan.health, WalHealth::kDamaged) << group << ", byte " << i << ": " << scan.what;
      EXPECT_EQ(scan.offset, writer.start(group));
    }
  }
}

}  // namespace
}  // namespace futurerand
