// A chart of errors against a parameter, one curve a protocol, both axes logarithmic.
#pragma once

#include <string>
#include <vector>

namespace futurerand::apps {

struct ErrorCurve {
  std::string protocol;
  std::vector<double> x;  // > 0, rising
  std::vector<double> rmse;
};

// This is a measured error beside the curves.
struct ErrorDot {
  double x;
  double rmse;
  bool whole_sequence;  // private over the whole sequence: filled
};

struct ErrorCurves {
  std::string id;  // unique on the page
  std::string title;
  std::string axis;  // what x is
  std::vector<ErrorCurve> curves;
  std::vector<ErrorDot> dots;
};

// Draws the chart once for wide and once for narrow screens: one that is only made smaller cannot
// be read. Curves differ in colour and in dashes. Empty if there is nothing to draw.
std::string draw(const ErrorCurves& chart);

}  // namespace futurerand::apps
