#include "futurerand/client/whole_life.hpp"

#include "futurerand/wire/wire.hpp"

namespace futurerand {

std::string to_lines(const WholeLife& life) {
  std::string lines = to_line(life.enrolment) + "\n";
  if (!life.report.signs.empty()) lines += to_line(life.report) + "\n";
  return lines;
}

}  // namespace futurerand
