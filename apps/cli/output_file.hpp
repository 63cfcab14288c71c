// OutputFile: all of a file, or none of it. Bytes go to a temporary name beside the path and take
// the path's place on commit. Without a commit (an error, Ctrl-C) the temporary file is removed.
//
// Other than regular files (/dev/null, a pipe) are written in place. Thread safety: one thread.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace futurerand::apps {

class OutputFile {
 public:
  // Throws bad_input, naming the path, if it cannot be written.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Throws a failure if the bytes cannot be written (a full disk, say).
  void write(std::string_view text);
  // Flushes to the disk and gives the file its name. Nothing may be written afterwards.
  void commit();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty if the path is written in place
  std::FILE* file_ = nullptr;
};

}  // namespace futurerand::apps
