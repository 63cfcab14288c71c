// A file layer between the collector and the kernel, for tests (LD_PRELOAD). For files under
// DISK_FOLDER:
// - Writes stay in this process until the file is synced, so kill -9 loses them like a power cut.
// (Names of files reach
//   the kernel at once; tests of starts kill at each call.)
// - While the file $DISK_FAULTS/full exists, writes fail with ENOSPC.
// - While $DISK_FAULTS/eio exists, syncs fail with EIO.
// - While $DISK_FAULTS/hang exists, syncs do not return.
// - While $DISK_FAULTS/lie exists, syncs succeed and keep nothing. A test must notice it.
#include <cerrno>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Layer {
  std::mutex mutex;
  struct Write {
    off64_t offset;
    std::string bytes;
  };
  std::map<int, std::vector<Write>> unsynced;  // by descriptor
  std::string folder;
  std::string faults;

  Layer() {
    const char* given = getenv("DISK_FOLDER");
    folder = given == nullptr ? "" : given;
    given = getenv("DISK_FAULTS");
    faults = given == nullptr ? "" : given;
  }
  bool faulty(const char* fault) const {
    return !faults.empty() && access((faults + "/" + fault).c_str(), F_OK) == 0;
  }
  bool watches(const char* path, int flags) const {
    if (folder.empty() || (flags & O_ACCMODE) == O_RDONLY) return false;
    const std::string_view text(path);
    return text.starts_with(folder) && !text.ends_with("/LOCK");
  }
};

Layer& layer() {
  static Layer* const layer = new Layer;
  return *layer;
}

// Requires the lock. Returns false, with errno, if the kernel did not take it.
bool flush(int fd) {
  const auto at = layer().unsynced.find(fd);
  if (at == layer().unsynced.end()) return true;
  static auto* const write_now = real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  for (Layer::Write& write : at->second) {
    while (!write.bytes.empty()) {
      const ssize_t written = write_now(fd, write.bytes.data(), write.bytes.size(), write.offset);
      if (written < 0) return false;
      write.bytes.erase(0, static_cast<std::size_t>(written));
      write.offset += written;
    }
  }
  at->second.clear();
  return true;
}

int opened(int fd, const char* path, int flags) {
  if (fd >= 0 && layer().watches(path, flags)) {
    const std::lock_guard lock(layer().mutex);
    layer().unsynced[fd] = {};
  }
  return fd;
}

int sync_with(int fd, const char* name) {
  while (layer().faulty("hang")) usleep(10'000);
  {
    const std::lock_guard lock(layer().mutex);
    if (layer().unsynced.count(fd) != 0) {
      if (layer().faulty("eio")) {
        errno = EIO;
        return -1;
      }
      if (layer().faulty("lie")) return 0;
      if (!flush(fd)) return -1;
    }
  }
  return real<int(int)>(name)(fd);
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(real<int(const char*, int, ...)>("open")(path, flags, mode), path, flags);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(real<int(const char*, int, ...)>("open64")(path, flags, mode), path, flags);
}

// The collector writes with this call only.
ssize_t pwritev64(int fd, const iovec* parts, int count, off64_t offset) {
  {
    const std::lock_guard lock(layer().mutex);
    const auto at = layer().unsynced.find(fd);
    if (at != layer().unsynced.end()) {
      if (layer().faulty("full")) {
        errno = ENOSPC;
        return -1;
      }
      std::string bytes;
      for (int i = 0; i < count; ++i) {
        bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
      }
      const auto size = static_cast<ssize_t>(bytes.size());
      at->second.push_back({offset, std::move(bytes)});
      return size;
    }
  }
  static auto* const write_now = real<ssize_t(int, const iovec*, int, off64_t)>("pwritev64");
  return write_now(fd, parts, count, offset);
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  return pwritev64(fd, parts, count, offset);
}

int fdatasync(int fd) { return sync_with(fd, "fdatasync"); }
int fsync(int fd) { return sync_with(fd, "fsync"); }

int ftruncate(int fd, off_t size) noexcept {
  {
    const std::lock_guard lock(layer().mutex);
    if (!layer().faulty("lie") && !flush(fd)) return -1;
  }
  return real<int(int, off_t)>("ftruncate")(fd, size);
}

int ftruncate64(int fd, off64_t size) noexcept {
  {
    const std::lock_guard lock(layer().mutex);
    if (!layer().faulty("lie") && !flush(fd)) return -1;
  }
  return real<int(int, off64_t)>("ftruncate64")(fd, size);
}

// A folder without a readable entry. At its end the caller finds errno unchanged.
dirent* readdir(DIR* folder) {
  const int before = errno;
  const bool faulty = layer().faulty("unlisted");
  errno = faulty ? EIO : before;
  return faulty ? nullptr : real<dirent*(DIR*)>("readdir")(folder);
}

dirent64* readdir64(DIR* folder) {
  const int before = errno;
  const bool faulty = layer().faulty("unlisted");
  errno = faulty ? EIO : before;
  return faulty ? nullptr : real<dirent64*(DIR*)>("readdir64")(folder);
}

int close(int fd) {
  {
    const std::lock_guard lock(layer().mutex);
    // The kernel would write it some day; a later crash is not the owner's fault.
    (void)flush(fd);
    layer().unsynced.erase(fd);
  }
  return real<int(int)>("close")(fd);
}

}  // extern "C"
