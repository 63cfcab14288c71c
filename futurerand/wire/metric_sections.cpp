#include "futurerand/wire/metric_sections.hpp"

#include <algorithm>

#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kBegin = "{\"metric\":";
constexpr std::size_t kMaxSectionLine = 1024;

// Reads a name, and the season if there is one.
std::string name_in(JsonObject& object) {
  std::string metric = object.text("metric");
  if (!object.has("season")) return metric;
  const std::uint64_t season = object.integer("season", 0, INT64_MAX);
  return SeasonName{std::move(metric), static_cast<std::int64_t>(season)}.text();
}

Result<std::string> read_section_line(std::string_view line, std::size_t number) {
  const std::string where = "line " + std::to_string(number);
  if (line.size() > kMaxSectionLine) return Error{where + " is no metric: it is too long"};
  const Result<nlohmann::json> json = parse_json_object(line, where);
  if (!json) return json.error();
  JsonObject object(*json, where, {"metric", "season"});
  std::string metric = name_in(object);
  if (object.error()) return *object.error();
  return metric;
}

}  // namespace

std::string section_line(std::string_view metric) {
  JsonWriter out;
  out.begin_object();
  if (const std::optional<SeasonName> season = season_named(metric)) {
    out.member("metric", season->metric).member("season", season->season);
  } else {
    out.member("metric", metric);
  }
  return std::move(out.end_object()).take() + "\n";
}

Result<std::vector<MetricSection>> split_sections(std::string_view body) {
  std::vector<MetricSection> sections;
  std::size_t number = 0;
  while (!body.empty()) {
    ++number;
    const std::size_t size = std::min(body.find('\n'), body.size() - 1) + 1;
    const std::string_view line = body.substr(0, size);
    if (line.starts_with(kBegin)) {
      Result<std::string> metric = read_section_line(line, number);
      if (!metric) return metric.error();
      if (sections.size() == kMaxSections) {
        return Error{"line " + std::to_string(number) +
                     " is of one metric too many; expected at most " +
                     std::to_string(kMaxSections)};
      }
      const bool again = std::any_of(sections.begin(), sections.end(),
                                     [&](const auto& known) { return known.metric == *metric; });
      if (again) return Error{"line " + std::to_string(number) + " names a metric again"};
      sections.push_back({*std::move(metric), body.substr(size, 0)});
    } else if (sections.empty()) {
      return Error{"line 1 is of no metric; expected {\"metric\":NAME} first"};
    } else {
      std::string_view& lines = sections.back().lines;
      lines = {lines.empty() ? line.data() : lines.data(), lines.size() + size};
    }
    body.remove_prefix(size);
  }
  if (sections.empty()) return Error{"there are no lines; expected {\"metric\":NAME} first"};
  return sections;
}

std::string to_json(const std::vector<SectionAnswer>& answers) {
  std::string out = "{\"metrics\":[";
  for (const SectionAnswer& section : answers) {
    if (&section != &answers.front()) out += ',';
    std::string line = section_line(section.metric);
    line.resize(line.size() - 2);  // without its end
    std::string_view answer = section.answer;
    while (answer.ends_with('\n')) answer.remove_suffix(1);
    out += line + ",\"status\":" + std::to_string(section.status) + ",\"answer\":";
    out += answer.empty() ? std::string_view("null") : answer;
    out += '}';
  }
  return out + "]}";
}

Result<std::vector<SectionAnswer>> parse_section_answers(std::string_view json) {
  const std::string where = "the collector's answer";
  const Result<nlohmann::json> parsed = parse_json_object(json, where);
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, where);
  std::vector<SectionAnswer> answers;
  for (const nlohmann::json& each : object.array("metrics")) {
    JsonObject section(each, where);
    SectionAnswer answer{
        name_in(section), static_cast<int>(section.integer32("status", 100, 599)), {}};
    if (section.error()) return *section.error();
    const auto found = each.find("answer");
    if (found != each.end()) answer.answer = found->dump();
    answers.push_back(std::move(answer));
  }
  if (object.error()) return *object.error();
  return answers;
}

}  // namespace futurerand
