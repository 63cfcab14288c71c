#include "futurerand/collector/api/report_lines.hpp"

#include <string>

#include "futurerand/wire/canonical_line.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// The shortest line that is one gives an estimate of how many there are.
constexpr std::size_t kTypicalLine = 64;

// Of so many errors nobody reads all, and the first ones say why.
constexpr std::size_t kMaxMessages = 20;
// Files that were put together bring some headers; reading one takes longer than any other line.
constexpr std::size_t kMaxHeaders = 16;

// Returns whose line that is too long is, if it begins as a report of the wire's form does.
std::optional<ClientId> client_of_long(std::string_view line) {
  constexpr std::string_view kBegin = "{\"client\":\"";
  constexpr std::size_t kHexDigits = 32;
  if (!line.starts_with(kBegin)) return std::nullopt;
  const std::string report =
      std::string(line.substr(0, kBegin.size() + kHexDigits)) + "\",\"index\":1,\"signs\":\"+\"}";
  const Result<Line> read = parse_line(report);
  const auto* found = read ? std::get_if<Report>(&*read) : nullptr;
  return found == nullptr ? std::nullopt : std::optional(found->client);
}

// Counts what looks like a header before it is read.
Result<Line> read_line(std::string_view line, std::size_t& headers) {
  if (std::optional<Line> canonical = parse_canonical_line(line)) return *std::move(canonical);
  if (looks_like_header(line) && ++headers > kMaxHeaders) {
    return Error{"one header line too many in a request"};
  }
  return parse_any_line(line);
}

std::optional<ApiResponse> refuse_header(const Header& header, std::uint32_t number,
                                         const Plan& plan, bool allow_seeded) {
  if (header.plan != plan) {
    return error_response(
        409, "plan_mismatch",
        "line " + std::to_string(number) + " is of another plan than this metric's");
  }
  if (header.seeded && !allow_seeded) {
    return error_response(
        403, "seeded",
        "these reports were made from a seed, which anyone can repeat; only a test metric or a "
        "collector started with --demo takes them");
  }
  return std::nullopt;
}

}  // namespace

ReportLines parse_report_lines(std::string_view body, const Plan& plan, bool allow_seeded) {
  ReportLines parsed;
  parsed.messages.reserve(body.size() / kTypicalLine + 1);
  parsed.lines.reserve(body.size() / kTypicalLine + 1);
  std::uint32_t number = 0;
  std::size_t headers = 0;
  while (!body.empty()) {
    ++number;
    const std::size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == body.npos ? body.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (parsed.errors.size() + parsed.too_long.size() >= kMaxBadLines) {
      parsed.too_many_bad_lines = true;
      parsed.refusal = error_response(
          400, "too_many_bad_lines",
          "more than " + std::to_string(kMaxBadLines) + " lines cannot be read, the last one is " +
              "number " + std::to_string(number - 1) + "; expected lines of the wire format");
      return parsed;
    }
    if (line.size() > kMaxPostedLineBytes) {
      if (const std::optional<ClientId> client = client_of_long(line)) {
        parsed.too_long.emplace_back(number, *client);
      } else {
        parsed.errors.push_back({number, "too_long", 0, std::string(kTooLongLine)});
      }
      continue;
    }
    Result<Line> read = read_line(line, headers);
    if (!read) {
      parsed.errors.push_back({number, "malformed", 0, {}});
      if (parsed.errors.size() <= kMaxMessages) {
        parsed.errors.back().message = read.error().message;
      }
    } else if (auto* report = std::get_if<Report>(&*read)) {
      parsed.messages.emplace_back(std::move(*report));
      parsed.lines.push_back(number);
    } else if (auto* enrolment = std::get_if<Enrolment>(&*read)) {
      parsed.messages.emplace_back(std::move(*enrolment));
      parsed.lines.push_back(number);
      ++parsed.enrolments;
    } else if (const auto* leave = std::get_if<Leave>(&*read)) {
      parsed.messages.emplace_back(*leave);
      parsed.lines.push_back(number);
    } else if (const auto* forget = std::get_if<Forget>(&*read)) {
      // A hash of an unknown id stays, as an enrolment does.
      parsed.messages.emplace_back(*forget);
      parsed.lines.push_back(number);
      ++parsed.enrolments;
    } else {
      parsed.refusal = refuse_header(std::get<Header>(*read), number, plan, allow_seeded);
      if (parsed.refusal) return parsed;
    }
  }
  return parsed;
}

}  // namespace futurerand
