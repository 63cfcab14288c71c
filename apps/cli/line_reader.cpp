#include "apps/cli/line_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"

namespace futurerand::apps {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 18;

Failure unreadable(const std::string& name) {
  return bad_input(name + ": cannot be read (" + std::strerror(errno) +
                   "); expected a readable file");
}

}  // namespace

LineReader::LineReader(const std::string& path)
    : name_(path.empty() ? "standard input" : path),
      fd_(path.empty() ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0) throw unreadable(name_);
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
}

LineReader::~LineReader() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

double LineReader::share() const {
  return size_ == 0 ? 0 : std::min(1.0, static_cast<double>(read_) / static_cast<double>(size_));
}

bool LineReader::read_more() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t had = buffer_.size();
  buffer_.resize(had + kChunkBytes);
  ssize_t got = -1;
  while (got < 0) {
    wait_readable(fd_);
    got = ::read(fd_, buffer_.data() + had, kChunkBytes);
    if (got < 0 && errno != EINTR) throw unreadable(name_);
  }
  buffer_.resize(had + static_cast<std::size_t>(got));
  read_ += static_cast<std::uint64_t>(got);
  return got > 0;
}

std::optional<std::string_view> LineReader::next(std::size_t most) {
  std::size_t searched = begin_;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    const bool last = end == std::string::npos && at_end_;
    if (end != std::string::npos || last) {
      const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
      if (last && line.empty()) return std::nullopt;
      begin_ = last ? buffer_.size() : end + 1;
      ++line_;
      return line;
    }
    if (buffer_.size() - begin_ > most) {
      ++line_;
      throw bad_input(place() + "a line of more than " + std::to_string(most) +
                      " bytes; expected a line of reports");
    }
    const std::size_t kept = buffer_.size() - begin_;
    at_end_ = !read_more();
    searched = kept;
  }
}

}  // namespace futurerand::apps
