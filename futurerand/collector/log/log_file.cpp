#include "futurerand/collector/log/log_file.hpp"

#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/collector/log/crc32c.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kLogMagic = "frlog 2\n";
constexpr std::uint64_t kAlignment = 8;

std::string salted_checksum(std::uint64_t salt, std::string_view rest) {
  std::string salt_bytes;
  put_word(salt_bytes, salt);
  std::string checksum;
  put_half_word(checksum, crc32c({salt_bytes, rest}));
  return checksum;
}

}  // namespace

std::string log_file_header(const LogFileHeader& header) {
  std::string bytes(kLogMagic);
  put_word(bytes, header.first);
  put_word(bytes, header.salt);
  put_word(bytes, crc32c({bytes}));
  return bytes;
}

Result<LogFileHeader> read_log_file_header(std::string_view file) {
  ByteReader in(file);
  const std::string_view magic = in.take(kLogMagic.size());
  LogFileHeader header;
  header.first = in.word();
  header.salt = in.word();
  const std::uint64_t checksum = in.word();
  if (!in.ok() || magic != kLogMagic || checksum != crc32c({file.substr(0, 24)})) {
    return Error{"its header cannot be read"};
  }
  return header;
}

std::string log_record_header(std::uint64_t salt, std::uint64_t sequence, std::string_view group) {
  std::string rest;
  put_half_word(rest, crc32c({group}));
  put_word(rest, group.size());
  put_word(rest, sequence);
  return salted_checksum(salt, rest) + rest;
}

std::uint64_t log_record_bytes(std::uint64_t group_bytes) {
  return (kLogRecordHeaderBytes + group_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

LogScan::LogScan(std::string_view file, const LogFileHeader& header)
    : file_(file), header_(header), expected_(header.first) {}

bool LogScan::record_at(std::uint64_t offset, bool exactly, std::string_view& group) const {
  if (offset > file_.size() || file_.size() - offset < kLogRecordHeaderBytes) return false;
  ByteReader in(file_.substr(offset, kLogRecordHeaderBytes));
  const std::string_view head_checksum = in.take(4);
  const std::uint32_t group_checksum = in.half_word();
  const std::uint64_t length = in.word();
  const std::uint64_t sequence = in.word();
  if (sequence < expected_ || (exactly && sequence != expected_)) return false;
  if (length > file_.size() - offset - kLogRecordHeaderBytes) return false;
  // The head comes first: it cannot be forged, so that nobody makes the search below read commits
  // in vain.
  if (salted_checksum(header_.salt, file_.substr(offset + 4, kLogRecordHeaderBytes - 4)) !=
      head_checksum) {
    return false;
  }
  group = file_.substr(offset + kLogRecordHeaderBytes, length);
  return crc32c({group}) == group_checksum;
}

bool LogScan::next(std::string_view& group) {
  if (!record_at(offset_, true, group)) return false;
  offset_ += log_record_bytes(group.size());
  ++expected_;
  return true;
}

bool LogScan::damaged() const {
  std::string_view ignored;
  for (std::uint64_t at = offset_ + kAlignment; at < file_.size(); at += kAlignment) {
    if (record_at(at, false, ignored)) return true;
  }
  return false;
}

bool LogScan::clean_end() const {
  return offset_ >= file_.size() || file_.find_first_not_of('\0', offset_) == file_.npos;
}

}  // namespace futurerand
