#include "futurerand/collector/api/report_lines.hpp"

#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// The shortest line that is one: an estimate of how many there are.
constexpr std::size_t kTypicalLine = 64;

// Of so many errors that nobody reads them, the first ones say why.
constexpr std::size_t kMaxMessages = 20;

}  // namespace

ReportLines parse_report_lines(std::string_view body, const Plan& plan, bool allow_seeded) {
  ReportLines parsed;
  parsed.messages.reserve(body.size() / kTypicalLine + 1);
  parsed.lines.reserve(body.size() / kTypicalLine + 1);
  std::uint32_t number = 0;
  while (!body.empty()) {
    ++number;
    const std::size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == body.npos ? body.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.size() > kMaxPostedLineBytes) {
      parsed.errors.push_back({number, "too_long", 0, {}});
      continue;
    }
    Result<Line> read = parse_line(line);
    if (!read) {
      parsed.errors.push_back({number, "malformed", 0, {}});
      if (parsed.errors.size() <= kMaxMessages) parsed.errors.back().message = read.error().message;
    } else if (auto* report = std::get_if<Report>(&*read)) {
      parsed.messages.emplace_back(std::move(*report));
      parsed.lines.push_back(number);
    } else if (auto* enrolment = std::get_if<Enrolment>(&*read)) {
      parsed.messages.emplace_back(*enrolment);
      parsed.lines.push_back(number);
    } else {
      const auto& header = std::get<Header>(*read);
      if (header.plan != plan) {
        parsed.refusal = error_response(
            409, "plan_mismatch",
            "line " + std::to_string(number) + " is of another plan than this metric's");
      } else if (header.seeded && !allow_seeded) {
        parsed.refusal = error_response(
            403, "seeded",
            "these reports were made from a seed, which anyone can repeat; only a test metric or a "
            "collector started with --demo takes them");
      }
      if (parsed.refusal) return parsed;
    }
  }
  return parsed;
}

}  // namespace futurerand
