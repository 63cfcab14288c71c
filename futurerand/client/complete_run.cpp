#include "futurerand/client/complete_run.hpp"

#include "futurerand/wire/wire.hpp"

namespace futurerand {

std::string to_lines(const CompleteRun& run) {
  std::string lines = to_line(run.enrolment) + "\n";
  if (!run.report.signs.empty()) lines += to_line(run.report) + "\n";
  return lines;
}

}  // namespace futurerand
