// A chart for terminals: the true count, an estimate of it, and the estimate's band.
#pragma once

#include <string>
#include <vector>

namespace futurerand::apps {

// This is one period. A part that is not known, such as the truth in a server's chart, is not a
// number.
struct ChartPoint {
  double truth;
  double estimate;
  double lower;
  double upper;
};

// Returns UTF-8 lines, at most `width` wide, with a legend. Points are periods 1, 2, ... If there
// are more than columns, a column shows the last of its periods.
std::string draw_chart(const std::vector<ChartPoint>& points, double level, int width = 78,
                       int height = 16);

}  // namespace futurerand::apps
