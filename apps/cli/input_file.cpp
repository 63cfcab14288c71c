#include "apps/cli/input_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"

namespace futurerand::apps {
namespace {

Failure unreadable_file(const std::string& path) {
  return bad_input(path + ": cannot be read (" + std::strerror(errno) +
                   "); expected a readable file");
}

// Closes on every way out.
struct OpenFile {
  explicit OpenFile(const std::string& path) : fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  const int fd;
};

}  // namespace

std::string read_file(const std::string& path) {
  const OpenFile file(path);
  stop_if_interrupted();  // the signal may have ended the wait for the other end of a pipe
  if (file.fd < 0) throw unreadable_file(path);
  constexpr std::size_t kChunk = 65536;
  std::string text;
  while (true) {
    const std::size_t had = text.size();
    text.resize(had + kChunk);
    wait_readable(file.fd);
    const ssize_t got = ::read(file.fd, text.data() + had, kChunk);
    if (got < 0 && errno != EINTR) throw unreadable_file(path);
    text.resize(had + static_cast<std::size_t>(got < 0 ? 0 : got));
    if (got == 0) return text;
  }
}

}  // namespace futurerand::apps
