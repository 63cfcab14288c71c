#include "apps/report/chart.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace futurerand::apps {
namespace {

TEST(Chart, ShowsTruthEstimateAndBand) {
  const double none = std::nan("");
  EXPECT_EQ(
      draw_chart({{0, 0, 0, 0}, {5, 4, 3, 6}, {8, 8, 7, 9}, {10, none, none, none}}, 0.95, 40, 11),
      "10 ┤   ─\n"
      "   │  ░ \n"
      "   │  ● \n"
      "   │  ░ \n"
      "   │ ░  \n"
      " 5 ┤ ─  \n"
      "   │ ●  \n"
      "   │ ░  \n"
      "   │    \n"
      "   │    \n"
      " 0 ┤●   \n"
      "   └────\n"
      "    period 1 4\n"
      "    ● estimate   ░ its 95% band   ─ true count\n");
}

TEST(Chart, SurvivesFlatAndEmptySeries) {
  const double none = std::nan("");
  EXPECT_NE(draw_chart({{0, 0, 0, 0}}, 0.5), "");
  const std::string chart = draw_chart(std::vector<ChartPoint>(300, {none, none, none, none}), 0.9);
  EXPECT_EQ(chart.find("true count"), std::string::npos);
}

}  // namespace
}  // namespace futurerand::apps
