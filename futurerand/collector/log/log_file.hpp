// The bytes of one file of the log: a header, one record for each commit, numbered without a gap,
// and then zeros written in advance. A record is
//   checksum of the next three, and of the file's salt      4 bytes
//   checksum of the commit                                   4
//   length of the commit                                     8
//   sequence                                                8
//   the commit, and zeros up to a multiple of 8
// little-endian. The salt is random and secret. Commits contain bytes from untrusted clients, and
// those bytes must not pass for a record. The salt also tells this file's records from those of an
// earlier file in the same blocks.
//
// Thread safety: plain functions and values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct LogFileHeader {
  std::uint64_t first = 0;  // the number of its first commit
  std::uint64_t salt = 0;
  friend bool operator==(const LogFileHeader&, const LogFileHeader&) = default;
};

inline constexpr std::size_t kLogFileHeaderBytes = 32;
inline constexpr std::size_t kLogRecordHeaderBytes = 24;

std::string log_file_header(const LogFileHeader& header);
Result<LogFileHeader> read_log_file_header(std::string_view file);

// Returns the bytes before a commit.
std::string log_record_header(std::uint64_t salt, std::uint64_t sequence, std::string_view group);
// Returns the size of a record and the zeros after it.
std::uint64_t log_record_bytes(std::uint64_t group_bytes);

// Reads the records of a file one after the other.
class LogScan {
 public:
  // Requires a file with this header.
  LogScan(std::string_view file, const LogFileHeader& header);

  // Reads the next commit. Returns false if there is no complete record with the next number.
  bool next(std::string_view& group);
  // Returns the number of the last commit from next(). Before the first one, it is one less than
  // the first number.
  std::uint64_t sequence() const { return expected_ - 1; }
  // Returns the end of the last record from next().
  std::uint64_t offset() const { return offset_; }

  // After next() returned false, says whether a complete record of this file follows further on.
  // Only such a record shows a loss in between, because each record is written after the one before
  // it is durable. A crash can leave anything else: pages reach the disk in any order.
  bool damaged() const;
  // Tells whether nothing but zeros follows.
  bool clean_end() const;

 private:
  // Returns the commit of a complete record at this place. `sequence` must be this one, or this one
  // or a later one.
  bool record_at(std::uint64_t offset, bool exactly, std::string_view& group) const;

  std::string_view file_;
  LogFileHeader header_;
  std::uint64_t expected_;
  std::uint64_t offset_ = kLogFileHeaderBytes;
};

}  // namespace futurerand
