#include "futurerand/wire/canonical_line.hpp"

#include <algorithm>

#include "futurerand/wire/line_form.hpp"

namespace futurerand {
namespace {

// Takes pieces off the front of a line.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}

  bool skip(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }

  bool client(ClientId& id) {
    if (rest_.size() < kHexDigits) return false;
    if (!decode_hex(rest_.substr(0, kHexDigits), id)) return false;
    rest_.remove_prefix(kHexDigits);
    return true;
  }

  // Takes at most nine digits, which is enough for every integer of a line.
  bool integer(std::uint32_t least, std::uint32_t most, std::uint32_t& value) {
    std::size_t digits = 0;
    std::uint32_t number = 0;
    while (digits < rest_.size() && digits < 10 && rest_[digits] >= '0' && rest_[digits] <= '9') {
      number = number * 10 + static_cast<std::uint32_t>(rest_[digits++] - '0');
    }
    if (digits == 0 || digits == 10 || (digits > 1 && rest_[0] == '0')) return false;
    if (number < least || number > most) return false;
    rest_.remove_prefix(digits);
    value = number;
    return true;
  }

  // Takes the text of a segment in printable ASCII, up to its closing quote.
  bool segment(std::string& text) {
    std::size_t size = 0;
    while (size < rest_.size() && rest_[size] >= ' ' && rest_[size] <= '~' && rest_[size] != '"') {
      ++size;
    }
    if (!is_segment(rest_.substr(0, size))) return false;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return skip("\"");
  }

  bool ends_with(std::string_view literal) { return rest_ == literal; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace

std::optional<Line> parse_canonical_line(std::string_view line) {
  Cursor cursor(line);
  ClientId client;
  if (!cursor.skip(R"({"client":")") || !cursor.client(client) || !cursor.skip("\",\"")) {
    return std::nullopt;
  }
  if (cursor.skip("view\":")) {
    Enrolment enrolment{client};
    if (!cursor.integer(0, kMaxView, enrolment.view) || !cursor.skip(",\"period\":") ||
        !cursor.integer(1, kMaxPeriods, enrolment.period)) {
      return std::nullopt;
    }
    if (cursor.skip(",\"index\":") && !cursor.integer(1, kMaxPeriods, enrolment.index)) {
      return std::nullopt;
    }
    if (cursor.skip(",\"segment\":\"") && !cursor.segment(enrolment.segment)) return std::nullopt;
    if (!cursor.ends_with("}")) return std::nullopt;
    return enrolment;
  }
  if (cursor.skip("leave\":")) {
    Leave leave{client, 0};
    if (!cursor.integer(1, kMaxPeriods, leave.period) || !cursor.ends_with("}"))
      return std::nullopt;
    return leave;
  }
  if (cursor.skip("forget\":true}")) {
    if (!cursor.ends_with("")) return std::nullopt;
    return Forget{client};
  }
  Report report{client, 0, {}};
  if (!cursor.skip("index\":") || !cursor.integer(1, kMaxPeriods, report.first_index) ||
      !cursor.skip(",\"signs\":\"") || !cursor.rest().ends_with("\"}")) {
    return std::nullopt;
  }
  const std::string_view signs = cursor.rest().substr(0, cursor.rest().size() - 2);
  if (!read_signs(signs, report.first_index, report.signs)) return std::nullopt;
  return report;
}

}  // namespace futurerand
