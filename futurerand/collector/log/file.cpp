#include "futurerand/collector/log/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace futurerand {
namespace {

FileFailure last_failure() { return {errno}; }

iovec part_of(std::string_view bytes) {
  // The kernel's interface is not const; it does not write through it.
  return {const_cast<char*>(bytes.data()), bytes.size()};
}

Result<int> open_file(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (descriptor < 0) return failed_to("open", path, last_failure());
  return descriptor;
}

// Reads all of a file and discards it. A bad sector is an error here, but a signal in a mapped
// file.
Status read_through(int descriptor, const std::filesystem::path& path, std::uint64_t size) {
  constexpr std::uint64_t kStep = 256 << 10;
  const auto buffer = std::make_unique<char[]>(kStep);
  for (std::uint64_t offset = 0; offset < size;) {
    const std::uint64_t wanted = std::min(kStep, size - offset);
    const ssize_t got = pread(descriptor, buffer.get(), wanted, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      const FileFailure failure = got < 0 ? last_failure() : FileFailure{EIO};
      return Error{"cannot read " + path.string() + " at byte " + std::to_string(offset) + " of " +
                   std::to_string(size) + ": " + failure.message()};
    }
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

}  // namespace

bool FileFailure::no_room() const { return code == ENOSPC || code == EDQUOT; }
std::string FileFailure::message() const { return std::strerror(code); }

Error failed_to(const std::string& what, const std::filesystem::path& path, FileFailure failure) {
  return {"cannot " + what + " " + path.string() + ": " + failure.message()};
}

std::filesystem::path unpublished(const std::filesystem::path& path) {
  return path.string() + ".new";
}

File::~File() { close(); }
File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Result<File> File::open(const std::filesystem::path& path) {
  const Result<int> opened = open_file(path, O_RDWR | O_CREAT);
  if (!opened) return opened.error();
  File file;
  file.descriptor_ = *opened;
  return file;
}

Result<File> File::create(const std::filesystem::path& path) {
  const Result<int> opened = open_file(path, O_RDWR | O_CREAT | O_TRUNC);
  if (!opened) return opened.error();
  File file;
  file.descriptor_ = *opened;
  return file;
}

FileFailure File::write(std::uint64_t offset, std::string_view first, std::string_view second) {
  while (!first.empty() || !second.empty()) {
    const iovec parts[2] = {part_of(first), part_of(second)};
    const ssize_t written = pwritev(descriptor_, parts, 2, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return last_failure();
    const auto size = static_cast<std::size_t>(written);
    const std::size_t of_first = std::min(size, first.size());
    first.remove_prefix(of_first);
    second.remove_prefix(size - of_first);
    offset += size;
  }
  return {};
}

FileFailure File::sync() { return fdatasync(descriptor_) == 0 ? FileFailure{} : last_failure(); }

FileFailure File::write_out(std::uint64_t offset, std::uint64_t size) {
  constexpr unsigned kAll =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  const int failed =
      sync_file_range(descriptor_, static_cast<off64_t>(offset), static_cast<off64_t>(size), kAll);
  // Some file systems have nothing like it; then sync() has it all to do.
  if (failed == 0 || errno == ENOSYS || errno == EINVAL || errno == ESPIPE) return {};
  return last_failure();
}

FileFailure File::truncate(std::uint64_t size) {
  return ftruncate(descriptor_, static_cast<off_t>(size)) == 0 ? FileFailure{} : last_failure();
}

void File::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path, bool fresh) {
  const Result<int> opened = open_file(path, O_RDONLY);
  if (!opened) return opened.error();
  struct stat status {};
  void* mapped = nullptr;
  FileFailure failure;
  if (fresh) (void)posix_fadvise(*opened, 0, 0, POSIX_FADV_DONTNEED);
  Status read;
  if (fstat(*opened, &status) != 0) {
    failure = last_failure();
  } else {
    read = read_through(*opened, path, static_cast<std::uint64_t>(status.st_size));
  }
  if (failure || !read) {
    // Said below.
  } else if (status.st_size > 0) {
    mapped =
        mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, *opened, 0);
    if (mapped == MAP_FAILED) failure = last_failure();
  }
  ::close(*opened);
  if (failure) return failed_to("read", path, failure);
  if (!read) return read.error();
  if (mapped == nullptr) return MappedFile(std::string_view());
  const auto size = static_cast<std::size_t>(status.st_size);
  madvise(mapped, size, MADV_SEQUENTIAL);
  return MappedFile(std::string_view(static_cast<const char*>(mapped), size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

Status copy_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  const Result<MappedFile> source = MappedFile::open(from);
  if (!source) return source.error();
  Result<File> file = File::create(to);
  if (!file) return file.error();
  FileFailure failure = file->write(0, source->bytes());
  if (!failure) failure = file->sync();
  if (failure) return failed_to("write", to, failure);
  return {};
}

Status sync_folder(const std::filesystem::path& folder) {
  const Result<int> opened = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!opened) return opened.error();
  const FileFailure failure = fsync(*opened) == 0 ? FileFailure{} : last_failure();
  ::close(*opened);
  if (failure) return failed_to("sync", folder, failure);
  return {};
}

Status publish(const std::filesystem::path& path) {
  if (std::rename(unpublished(path).c_str(), path.c_str()) != 0) {
    return failed_to("rename a file to", path, last_failure());
  }
  return sync_folder(path.parent_path());
}

Status write_durably(const std::filesystem::path& path, std::string_view bytes) {
  Result<File> file = File::create(unpublished(path));
  if (!file) return file.error();
  FileFailure failure = file->write(0, bytes);
  if (!failure) failure = file->sync();
  if (failure) return failed_to("write", unpublished(path), failure);
  file->close();
  return publish(path);
}

}  // namespace futurerand
