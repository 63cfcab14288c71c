// The body of POST /v1/reports: lines of several metrics. A line {"metric":NAME} or
// {"metric":NAME,"season":S} says whose lines follow. Each section is answered as POST
// /v1/metrics/NAME/reports would answer it.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

// A device takes part in few metrics.
inline constexpr std::size_t kMaxSections = 64;

struct MetricSection {
  std::string metric;      // a season is SeasonName::text()
  std::string_view lines;  // of the body; each has its newline, except perhaps the last of all
};

// Writes {"metric":NAME}, with the season of a season, and a newline.
std::string section_line(std::string_view metric);
// Fails if lines come before the first section, if a metric has two, and if there are too many.
Result<std::vector<MetricSection>> split_sections(std::string_view body);

// The outcome of one section.
struct SectionAnswer {
  std::string metric;
  int status = 0;      // as of the call for this metric alone
  std::string answer;  // its JSON
};

// {"metrics":[{"metric":"m","status":200,"answer":{...}}]}, in the order of the sections. Requires
// answers that are JSON.
std::string to_json(const std::vector<SectionAnswer>& answers);
Result<std::vector<SectionAnswer>> parse_section_answers(std::string_view json);

}  // namespace futurerand
