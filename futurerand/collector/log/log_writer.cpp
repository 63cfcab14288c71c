#include "futurerand/collector/log/log_writer.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "futurerand/collector/log/log_file.hpp"

namespace futurerand {
namespace {

// Large commits need no zeros: writing them twice costs more than recording the length.
constexpr std::uint64_t kSmallGroup = 64 << 10;
constexpr std::uint64_t kZerosAhead = 1 << 20;

std::uint64_t random_salt() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

Status LogWriter::create(const DataFolder& folder, std::uint64_t first) {
  const std::filesystem::path path = folder.log(first);
  Result<File> file = File::create(unpublished(path));
  if (!file) return file.error();
  const LogFileHeader header{first, random_salt()};
  FileFailure failure = file->write(0, log_file_header(header));
  if (!failure) failure = file->sync();
  if (failure) return failed_to("write", unpublished(path), failure);
  if (const Status published = publish(path); !published) return published;
  file_ = *std::move(file);
  first_ = first;
  salt_ = header.salt;
  end_ = reserved_ = kLogFileHeaderBytes;
  return {};
}

Status LogWriter::resume(const DataFolder& folder, std::uint64_t first, std::uint64_t salt,
                         std::uint64_t end) {
  Result<File> file = File::open(folder.log(first));
  if (!file) return file.error();
  file_ = *std::move(file);
  first_ = first;
  salt_ = salt;
  end_ = reserved_ = end;
  if (const FileFailure failure = cut()) return failed_to("cut", folder.log(first), failure);
  return {};
}

FileFailure LogWriter::write(std::uint64_t sequence, std::string_view group) {
  const std::uint64_t size = log_record_bytes(group.size());
  if (const FileFailure failure =
          file_.write(end_, log_record_header(salt_, sequence, group), group)) {
    return failure;
  }
  end_ += size;
  if (end_ > reserved_) {
    reserved_ = end_;
    // A failure here is harmless. Without room for zeros, the next commit reports it.
    if (size <= kSmallGroup) (void)reserve(kZerosAhead);
  }
  return {};
}

FileFailure LogWriter::cut() {
  FileFailure failure = file_.truncate(end_);
  if (!failure) failure = file_.sync();
  reserved_ = end_;
  return failure;
}

FileFailure LogWriter::reserve(std::uint64_t bytes) {
  static const std::string kZeros(64 << 10, '\0');
  const std::uint64_t wanted = end_ + bytes;
  while (reserved_ < wanted) {
    const std::uint64_t size = std::min<std::uint64_t>(wanted - reserved_, kZeros.size());
    if (const FileFailure failure =
            file_.write(reserved_, std::string_view(kZeros).substr(0, size))) {
      return failure;
    }
    reserved_ += size;
  }
  return {};
}

}  // namespace futurerand
