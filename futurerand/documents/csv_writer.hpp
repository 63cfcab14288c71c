// CsvWriter: writes a table as comma-separated values, one line a row. What is unknown is empty.
//
// Thread safety: one thread at a time.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace futurerand {

class CsvWriter {
 public:
  // The header is the first line, without its end.
  explicit CsvWriter(std::string_view header) : out_(header) { out_ += '\n'; }

  // Not a number is unknown. Numbers are as short as possible.
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number> CsvWriter& cell(Number number) {
    separate();
    if constexpr (std::floating_point<Number>) {
      if (!std::isfinite(number)) return *this;
    }
    char text[32];
    out_.append(text, std::to_chars(text, text + sizeof(text), number).ptr);
    return *this;
  }
  // Requires text without commas, quotes and line ends.
  CsvWriter& cell(std::string_view text) {
    separate();
    out_ += text;
    return *this;
  }
  CsvWriter& end_row() {
    out_ += '\n';
    is_first_ = true;
    return *this;
  }

  std::string take() && { return std::move(out_); }

 private:
  void separate() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }

  std::string out_;
  bool is_first_ = true;
};

}  // namespace futurerand
