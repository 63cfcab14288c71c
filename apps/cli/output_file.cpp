#include "apps/cli/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <unistd.h>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace fs = std::filesystem;

OutputFile::OutputFile(const fs::path& path) : path_(path) {
  std::error_code error;
  // A link stays a link; its target is replaced.
  if (const fs::path target = fs::canonical(path, error); !error) path_ = target;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    file_ = std::fopen(path_.c_str(), "w");
  } else {
    temporary_ = path_;
    temporary_ += ".tmp." + std::to_string(getpid());
    file_ = std::fopen(temporary_.c_str(), "wx");
  }
  if (file_ == nullptr) {
    throw bad_input(path.string() + ": cannot be written (" + std::strerror(errno) +
                    "); expected a file in a writable folder");
  }
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void OutputFile::fail() const {
  throw failed(path_.string() + ": writing failed (" + std::strerror(errno) +
               "); nothing was left behind");
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void OutputFile::commit() {
  if (std::fflush(file_) != 0) fail();
  if (!temporary_.empty()) {
    if (fsync(fileno(file_)) != 0) fail();
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) {
      errno = error.value();
      fail();
    }
  }
  std::fclose(std::exchange(file_, nullptr));
}

}  // namespace futurerand::apps
