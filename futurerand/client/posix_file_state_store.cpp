#include <cerrno>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "futurerand/client/file_state_store.hpp"

namespace futurerand {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr off_t kMaxRecordBytes = off_t{1} << 24;

// Closes on every way out.
class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool read_all(int fd, std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::read(fd, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;  // shorter than it said it was
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

// Each is its owner's only.
bool make_folders(const std::string& folder) {
  for (std::size_t at = folder.find('/', 1);; at = folder.find('/', at + 1)) {
    if (::mkdir(folder.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST) return false;
    if (at == folder.npos) return true;
  }
}

}  // namespace

struct FileStateStore::Folder {
  explicit Folder(std::string folder) : path(std::move(folder)) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    // A child that was forked meanwhile shares the lock, which closing alone would leave with it;
    // and such a child must not take it from its parent.
    if (lock_fd >= 0 && process == ::getpid()) ::flock(lock_fd, LOCK_UN);
    if (lock_fd >= 0) ::close(lock_fd);
    if (fd >= 0) ::close(fd);
  }

  // Requires errno to say why.
  Error failure(std::string_view what, std::string_view record, ErrorCode code) const {
    return Error{"cannot " + std::string(what) + " the state file '" + path + "/" +
                     std::string(record) + "': " + std::strerror(errno),
                 code};
  }

  std::string path;
  int fd = -1;
  int lock_fd = -1;
  pid_t process = ::getpid();
};

Result<FileStateStore> FileStateStore::open(const std::string& path, MonotonicCounter* counter) {
  if (!make_folders(path)) {
    return Error{"cannot make the state folder '" + path + "': " + std::strerror(errno),
                 ErrorCode::kNoRoom};
  }
  auto folder = std::make_unique<Folder>(path);
  folder->fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->fd < 0) {
    return Error{"cannot open the state folder '" + path + "': " + std::strerror(errno),
                 ErrorCode::kDamaged};
  }
  folder->lock_fd =
      ::openat(folder->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
  if (folder->lock_fd < 0) return folder->failure("open", "lock", ErrorCode::kNoRoom);
  if (::flock(folder->lock_fd, LOCK_EX | LOCK_NB) != 0) {
    return Error{"the state folder '" + path + "' is in use; expected one process at a time",
                 ErrorCode::kBusy};
  }
  return FileStateStore(counter, std::move(folder));
}

FileStateStore::FileStateStore(MonotonicCounter* counter, std::unique_ptr<Folder> folder)
    : StateStore(counter), folder_(std::move(folder)) {}

FileStateStore::FileStateStore(FileStateStore&& other) noexcept
    : StateStore(other), folder_(std::move(other.folder_)) {}

FileStateStore::~FileStateStore() = default;

Result<std::optional<Bytes>> FileStateStore::load(std::string_view record) {
  const std::string name(record);
  const File file(::openat(folder_->fd, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.fd() < 0 && errno == ENOENT) return std::optional<Bytes>();
  struct stat status {};
  if (file.fd() < 0 || ::fstat(file.fd(), &status) != 0)
    return folder_->failure("read", record, ErrorCode::kDamaged);
  if (status.st_size > kMaxRecordBytes) errno = EFBIG;
  if (status.st_size > kMaxRecordBytes)
    return folder_->failure("read", record, ErrorCode::kDamaged);
  Bytes bytes(static_cast<std::size_t>(status.st_size));
  if (!read_all(file.fd(), bytes)) return folder_->failure("read", record, ErrorCode::kDamaged);
  return std::optional<Bytes>(std::move(bytes));
}

Status FileStateStore::save(std::string_view record, std::span<const std::uint8_t> bytes) {
  const std::string name(record);
  const std::string temporary = name + ".new";
  File file(::openat(folder_->fd, temporary.c_str(),
                     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly));
  const bool saved = file.fd() >= 0 && write_all(file.fd(), bytes) && ::fsync(file.fd()) == 0 &&
                     file.close() &&
                     ::renameat(folder_->fd, temporary.c_str(), folder_->fd, name.c_str()) == 0 &&
                     ::fsync(folder_->fd) == 0;
  if (saved) return {};
  const Error error = folder_->failure("write", record, ErrorCode::kNoRoom);
  ::unlinkat(folder_->fd, temporary.c_str(), 0);
  return error;
}

Result<std::vector<std::string>> FileStateStore::names() {
  const Error unreadable{"cannot list the state folder '" + folder_->path + "'",
                         ErrorCode::kDamaged};
  const int fd = ::openat(folder_->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = fd < 0 ? nullptr : ::fdopendir(fd);
  if (folder == nullptr) {
    if (fd >= 0) ::close(fd);
    return unreadable;
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(folder)) names.emplace_back(entry->d_name);
  const bool whole = errno == 0;
  ::closedir(folder);
  if (!whole) return unreadable;
  return names;
}

}  // namespace futurerand
