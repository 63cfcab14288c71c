#include "futurerand/collector/log/log_file.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/collector/log/crc32c.hpp"

namespace futurerand {
namespace {

constexpr LogFileHeader kHeader{5, 0x1234567890abcdef};

std::string record(std::uint64_t sequence, const std::string& group,
                   std::uint64_t salt = kHeader.salt) {
  std::string bytes = log_record_header(salt, sequence, group) + group;
  bytes.resize(log_record_bytes(group.size()));
  return bytes;
}

struct SomeLog {
  std::string file = log_file_header(kHeader);
  std::vector<std::string> groups;
  std::vector<std::size_t> starts;

  SomeLog() {
    std::mt19937 random(3);
    for (const std::size_t size : {1U, 8U, 300U, 0U, 77U, 5000U}) {
      std::string group(size, '\0');
      for (char& byte : group) byte = static_cast<char>(random());
      starts.push_back(file.size());
      file += record(kHeader.first + groups.size(), group);
      groups.push_back(std::move(group));
    }
  }
};

std::size_t count_groups(LogScan& scan) {
  std::size_t count = 0;
  for (std::string_view group; scan.next(group);) ++count;
  return count;
}

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(crc32c({"1234", "", "56789"}), 0xe3069283U);
  // RFC 3720, B.4.
  EXPECT_EQ(crc32c({std::string(32, '\0')}), 0x8a9136aaU);
  EXPECT_EQ(crc32c({std::string(32, '\xff')}), 0x62a8ab43U);
  std::string rising;
  for (int byte = 0; byte < 32; ++byte) rising.push_back(static_cast<char>(byte));
  EXPECT_EQ(crc32c({rising}), 0x46dd794eU);
}

TEST(LogFile, ReadsWhatWasWritten) {
  const SomeLog log;
  const Result<LogFileHeader> header = read_log_file_header(log.file);
  ASSERT_TRUE(header);
  EXPECT_EQ(*header, kHeader);
  for (const std::size_t zeros : {0U, 1U, 24U, 4096U}) {
    const std::string file = log.file + std::string(zeros, '\0');
    LogScan scan(file, *header);
    std::string_view group;
    for (std::size_t i = 0; i < log.groups.size(); ++i) {
      ASSERT_TRUE(scan.next(group));
      EXPECT_EQ(group, log.groups[i]);
      EXPECT_EQ(scan.sequence(), kHeader.first + i);
    }
    EXPECT_FALSE(scan.next(group));
    EXPECT_TRUE(scan.clean_end());
    EXPECT_FALSE(scan.damaged());
    EXPECT_EQ(scan.offset(), log.file.size());
  }
}

TEST(LogFile, EveryCutIsWhatACrashLeaves) {
  const SomeLog log;
  for (std::size_t size = kLogFileHeaderBytes; size < log.file.size(); ++size) {
    const std::string file = log.file.substr(0, size);
    LogScan scan(file, kHeader);
    const std::size_t groups = count_groups(scan);
    ASSERT_FALSE(scan.damaged()) << size;
    ASSERT_LE(scan.offset(), size + 7);
    // Every complete record must be read, even if the zeros after it are cut off.
    for (std::size_t i = 0; i < log.groups.size(); ++i) {
      const bool whole = log.starts[i] + kLogRecordHeaderBytes + log.groups[i].size() <= size;
      ASSERT_EQ(i < groups, whole) << size;
    }
  }
}

TEST(LogFile, AnyBitOfAnyButTheLastRecordIsDamage) {
  const SomeLog log;
  std::mt19937 random(4);
  for (std::size_t i = 0; i + 1 < log.groups.size(); ++i) {
    const std::size_t end = log.starts[i] + kLogRecordHeaderBytes + log.groups[i].size();
    for (std::size_t at = log.starts[i]; at < end; at += at < log.starts[i] + 40 ? 1U : 17U) {
      std::string file = log.file;
      file[at] = static_cast<char>(file[at] ^ 1 << random() % 8);
      LogScan scan(file, kHeader);
      ASSERT_EQ(count_groups(scan), i) << at;
      ASSERT_TRUE(scan.damaged()) << at;
      ASSERT_EQ(scan.offset(), log.starts[i]);
    }
  }
}

TEST(LogFile, TheLastRecordWithPagesMissingIsWhatACrashLeaves) {
  const SomeLog log;
  for (std::size_t at = log.starts.back(); at < log.file.size() - 8; at += 512) {
    std::string file = log.file;
    for (std::size_t i = at; i < std::min(at + 512, file.size()); ++i) file[i] = '\0';
    LogScan scan(file, kHeader);
    ASSERT_EQ(count_groups(scan), log.groups.size() - 1);
    ASSERT_FALSE(scan.damaged());
    ASSERT_FALSE(scan.clean_end() && at > log.starts.back());
  }
}

TEST(LogFile, WhatAStrangerSendsIsNoRecord) {
  SomeLog log;
  // A torn commit contains a valid record with another salt.
  const std::string forged = std::string(16, 'x') + record(12, "forged", kHeader.salt + 1);
  const std::string cut_off = log_record_header(kHeader.salt, 11, forged + "more") + forged;
  log.file += cut_off;
  LogScan scan(log.file, kHeader);
  EXPECT_EQ(count_groups(scan), log.groups.size());
  EXPECT_FALSE(scan.damaged());
}

TEST(LogFile, RecordsOfOtherNumbersDoNotCount) {
  const std::string older = log_file_header(kHeader) + record(4, "old");
  LogScan before(older, kHeader);
  EXPECT_EQ(count_groups(before), 0U);
  EXPECT_FALSE(before.damaged());
  const std::string later = log_file_header(kHeader) + record(7, "a hole before it");
  LogScan after(later, kHeader);
  EXPECT_EQ(count_groups(after), 0U);
}

TEST(LogFile, HeadersThatAreNone) {
  const std::string good = log_file_header(kHeader);
  EXPECT_FALSE(read_log_file_header(""));
  for (std::size_t at = 0; at < good.size() - 1; ++at) {
    EXPECT_FALSE(read_log_file_header(good.substr(0, at)));
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    EXPECT_FALSE(read_log_file_header(bad)) << at;
  }
}

}  // namespace
}  // namespace futurerand
