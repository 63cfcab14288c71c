// The body of POST .../reports: JSON lines into messages. A bad line is an error of that line only;
// a first line that is not of this metric's plan refuses the whole body.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/writer/group.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

struct ReportLines {
  std::vector<Message> messages;
  std::vector<std::uint32_t> lines;  // their numbers
  std::vector<LineError> errors;
  std::optional<ApiResponse> refusal;  // of the whole body
};

ReportLines parse_report_lines(std::string_view body, const Plan& plan, bool allow_seeded);

}  // namespace futurerand
