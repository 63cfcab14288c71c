#include "futurerand/simulator/populations/values_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <tuple>

namespace futurerand {
namespace {

constexpr std::string_view kHeader = "user,period,value";

struct Row {
  std::string_view user;
  std::optional<std::uint64_t> number;  // value of the user's text if it is a whole number
  Period period;
  std::uint32_t value;
  std::size_t line;
};

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns three fields, or none. Only the first may have commas.
std::optional<std::array<std::string_view, 3>> split(std::string_view line) {
  std::array<std::string_view, 3> fields;
  for (std::size_t i = 2; i > 0; --i) {
    const std::size_t comma = line.rfind(',');
    if (comma == std::string_view::npos) return std::nullopt;
    fields[i] = line.substr(comma + 1);
    line.remove_suffix(line.size() - comma);
  }
  fields[0] = line;
  return fields;
}

// Returns the code of a value.
Result<std::uint32_t> parse_value(std::string_view text, const Coding& coding) {
  if (coding.kind() == CodingKind::kYesNo) {
    if (text == "0" || text == "1") return text == "1" ? 1U : 0U;
    return Error{"neither of the two; expected 0 or 1"};
  }
  const bool is_number =
      coding.kind() == CodingKind::kNumber || coding.kind() == CodingKind::kDistribution;
  if (!is_number) return coding.code(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return Error{"no number; expected one"};
  }
  return coding.code(number);
}

// Errors name places and never quote the file: it holds people's values, and messages end up in
// logs.
Result<Row> parse_row(std::string_view line, Period num_periods, const Coding& coding) {
  const auto fields = split(line);
  if (!fields) {
    return Error{"not three fields; expected " + std::string(kHeader) + " between two commas"};
  }
  const std::string_view user = (*fields)[0];
  if (user.empty()) return Error{"column 1, user: empty; expected any text"};
  const auto period = parse_number((*fields)[1]);
  if (!period || *period < 1 || *period > num_periods) {
    return Error{std::string("column 2, period: ") + (period ? "out of range" : "no whole number") +
                 "; expected a whole number from 1 to " + std::to_string(num_periods)};
  }
  const Result<std::uint32_t> value = parse_value((*fields)[2], coding);
  if (!value) return Error{"column 3, value: " + value.error().message};
  return Row{user, parse_number(user), static_cast<Period>(*period), *value, 0};
}

Error at_line(std::string_view file, std::size_t line, const std::string& message) {
  return {std::string(file) + ":" + std::to_string(line) + ": " + message};
}

}  // namespace

Result<std::vector<UserValues>> parse_values(std::string_view text, std::string_view file,
                                             Period num_periods, const GoOn& go_on,
                                             const Coding& coding) {
  constexpr std::size_t kLinesBetween = 4096;
  const double bytes = static_cast<double>(text.size());
  std::vector<Row> rows;
  std::size_t number = 0;
  while (!text.empty() || number == 0) {
    if (go_on && number % kLinesBetween == 0 &&
        !go_on(bytes > 0 ? 1 - static_cast<double>(text.size()) / bytes : 0)) {
      return Error{"interrupted"};
    }
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number == 1) {
      if (line == kHeader) continue;
      return at_line(file, 1,
                     std::string(line.empty() ? "nothing is there" : "another header") +
                         "; expected the header " + std::string(kHeader));
    }
    Result<Row> row = parse_row(line, num_periods, coding);
    if (!row) return at_line(file, number, row.error().message);
    row->line = number;
    rows.push_back(*row);
  }

  const auto before = [](const Row& a, const Row& b) {
    if (a.number != b.number) {
      return a.number.has_value() && (!b.number || *a.number < *b.number);
    }
    return std::tie(a.user, a.period, a.line) < std::tie(b.user, b.period, b.line);
  };
  // Most files are in order already, and sorting a long one would keep Ctrl-C waiting.
  if (!std::is_sorted(rows.begin(), rows.end(), before))
    std::sort(rows.begin(), rows.end(), before);
  std::vector<UserValues> users;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (i == 0 || row.user != rows[i - 1].user) {
      users.push_back({std::string(row.user), {}});
    } else if (row.period == rows[i - 1].period) {
      return at_line(file, row.line,
                     "the user and period of line " + std::to_string(rows[i - 1].line) +
                         " again; expected one row for both");
    }
    users.back().changes.push_back({row.period, row.value});
  }
  return users;
}

}  // namespace futurerand
