// Reads a file of reports into sums (study/report_fold.hpp). The first invalid line ends it with
// bad_input, "FILE:LINE: problem; expectation".
#pragma once

#include <functional>
#include <string>

#include "futurerand/study/report_fold.hpp"

namespace futurerand::apps {

struct ReadReportsOptions {
  // Reports may be missing at a device's end, because the file was cut or is still being written.
  bool incomplete = false;
  bool transcript_cap = true;            // no transcript counts beyond its limit
  std::function<void(double)> progress;  // share of the file, if its size is known
};

// Memory grows with the number of devices, not with the file. An empty path is standard input.
FoldedReports read_reports(const std::string& path, const ReadReportsOptions& options);

}  // namespace futurerand::apps
