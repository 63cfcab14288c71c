// LineReader: the lines of a file or of standard input, one at a time, in constant memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace futurerand::apps {

class LineReader {
 public:
  // An empty path is standard input. Throws bad_input, naming the path, if it cannot be read.
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Returns the next line without its newline, valid until the next call, or nothing at the end.
  // Throws bad_input on a line of more than `most` bytes.
  std::optional<std::string_view> next(std::size_t most);

  // For messages: "reports.jsonl" or "standard input", and the same with the number of the last
  // read line.
  const std::string& name() const { return name_; }
  std::string place() const { return name_ + ":" + std::to_string(line_) + ": "; }
  std::uint64_t line() const { return line_; }
  // Returns the share read so far, if the size is known.
  double share() const;

 private:
  bool read_more();

  std::string name_;
  int fd_;
  std::uint64_t size_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t line_ = 0;
  std::string buffer_;
  std::size_t begin_ = 0;  // start of the bytes not handed out yet
  bool at_end_ = false;
};

}  // namespace futurerand::apps
