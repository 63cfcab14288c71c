// The body of POST .../reports: JSON lines into messages. A bad line is an error of that line only.
// A header line of another plan refuses the whole body. So do very many bad lines, because the size
// of a body must bound its cost.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/writer/commit_batch.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

inline constexpr std::size_t kMaxBadLines = 1000;

struct ReportLines {
  std::vector<Message> messages;
  std::vector<std::uint32_t> lines;  // their numbers
  std::vector<LineError> errors;
  std::vector<std::pair<std::uint32_t, ClientId>> too_long;  // lines of a known form, with clients
  std::uint64_t enrolments = 0;                              // among the messages
  bool too_many_bad_lines = false;                           // the reason of the refusal
  std::optional<ApiResponse> refusal;                        // of the whole body
};

ReportLines parse_report_lines(std::string_view body, const Plan& plan, bool allow_seeded);

}  // namespace futurerand
