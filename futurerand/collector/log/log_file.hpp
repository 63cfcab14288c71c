// The bytes of one file of the log: a header, then records, one for each commit, their numbers
// without a hole, and then zeros that were written in advance. A record is
//   checksum of the next three, and of the file's salt      4 bytes
//   checksum of the commit                                   4
//   length of the commit                                     8
//   sequence                                                8
//   the commit, and zeros up to a multiple of 8
// little-endian. The salt is random and secret: what a stranger sends becomes part of commits, and
// must not pass for a record. It also tells this file's records from those of a file that lay there
// before.
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

// Returns what precedes a commit.
std::string log_record_header(std::uint64_t salt, std::uint64_t sequence, std::string_view group);
// Returns the size of a record and the zeros after it.
std::uint64_t log_record_bytes(std::uint64_t group_bytes);

// Reads the records of a file one after the other.
class LogScan {
 public:
  // Requires a file that begins with this header.
  LogScan(std::string_view file, const LogFileHeader& header);

  // Reads the next commit; returns false where no complete record of the next number is.
  bool next(std::string_view& group);
  // Returns the number of the commit that next() gave last; before the first, one less than the
  // first's.
  std::uint64_t sequence() const { return expected_ - 1; }
  // Returns where the records that next() gave end.
  std::uint64_t offset() const { return offset_; }

  // Tells, once next() said false, whether a complete record of this file is further on. Only that
  // proves that something was lost in between: records are written one at a time, each when the one
  // before it is durable. Anything else is what a crash leaves: pages reach the disk in any order.
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
