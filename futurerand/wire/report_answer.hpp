// ReportAnswer: the answer to POST /v1/metrics/{name}/reports: what became of the lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct LineCounts {
  std::uint64_t accepted = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t rejected = 0;
  // These lines are right but came before their period was over: they are to be sent again, and say
  // nothing bad of the device.
  std::uint64_t early = 0;

  LineCounts& operator+=(const LineCounts& more) {
    accepted += more.accepted;
    duplicates += more.duplicates;
    rejected += more.rejected;
    early += more.early;
    return *this;
  }
};

struct LineError {
  std::uint32_t line = 0;      // of the request's body, from 1
  std::string reason;          // a word of docs/errors.md
  std::uint32_t expected = 0;  // the index expected next; 0 if that is not said
  std::string message = {};    // of a line that cannot be read
};

// It lists at most a thousand errors, so that an answer stays small whatever was sent, and then
// says how many it does not list.
struct ReportAnswer {
  static constexpr std::size_t kMaxErrors = 1000;

  LineCounts counts;
  std::vector<LineError> errors = {};  // by rising line
  // The number of unlisted errors, of lines after the last listed one.
  std::uint64_t errors_not_shown = 0;

  void add(LineError error) {
    if (errors.size() < kMaxErrors) {
      errors.push_back(std::move(error));
    } else {
      ++errors_not_shown;
    }
  }
};

std::string to_json(const ReportAnswer& answer);
Result<ReportAnswer> parse_report_answer(std::string_view json);

}  // namespace futurerand
