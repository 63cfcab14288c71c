// CsvWriter: writes a table as comma-separated values (RFC 4180), one line a row. What is unknown
// is empty.
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

  CsvWriter& cell(bool flag) { return cell(flag ? "true" : "false"); }
  // Numbers are as short as possible.
  CsvWriter& cell(std::integral auto number) { return put(number); }
  // Not a number is unknown.
  CsvWriter& cell(double number) { return std::isfinite(number) ? put(number) : cell(""); }
  CsvWriter& cell(const std::optional<double>& number) { return number ? cell(*number) : cell(""); }
  CsvWriter& cell(std::string_view text) {
    separate();
    if (text.find_first_of(",\"\r\n") == text.npos) {
      out_ += text;
      return *this;
    }
    out_ += '"';
    for (const char c : text) out_.append(c == '"' ? 2 : 1, c);
    out_ += '"';
    return *this;
  }
  CsvWriter& cell(const char* text) { return cell(std::string_view(text)); }
  CsvWriter& cell(const std::string& text) { return cell(std::string_view(text)); }
  CsvWriter& end_row() {
    out_ += '\n';
    is_first_ = true;
    return *this;
  }

  std::string take() && { return std::move(out_); }

 private:
  template <typename Number>
  CsvWriter& put(Number number) {
    separate();
    char text[32];
    out_.append(text, std::to_chars(text, text + sizeof(text), number).ptr);
    return *this;
  }
  void separate() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }

  std::string out_;
  bool is_first_ = true;
};

}  // namespace futurerand
