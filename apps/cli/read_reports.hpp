// Reads a file of reports into sums, strictly: the header comes first, every line fits the plan,
// and every report comes once, in order and after its enrolment. The first line that is not so ends
// it with bad_input, "FILE:LINE: what is there; what was expected".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "futurerand/estimator/presence.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::apps {

struct FoldedReports {
  Header header;
  Sums sums;
  std::uint64_t devices = 0;
  // Where the plan shows who is active, with the period that runs: of a complete file the one after
  // the horizon, else the one after the last period that anybody reported.
  std::optional<Presence> presence = {};
  Period current = 0;
};

struct ReadReportsOptions {
  // Reports may be missing at a device's end, because the file was cut or is still being written.
  bool incomplete = false;
  std::function<void(double)> progress;  // share of the file, if its size is known
};

// Memory grows with the number of devices, not with the file. An empty path is standard input.
FoldedReports read_reports(const std::string& path, const ReadReportsOptions& options);

}  // namespace futurerand::apps
