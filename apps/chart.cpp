#include "apps/chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace futurerand::apps {
namespace {

constexpr const char* kBand = "░";
constexpr const char* kTruth = "─";
constexpr const char* kEstimate = "●";

struct Scale {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

Scale scale_of(const std::vector<ChartPoint>& points) {
  Scale scale;
  scale.include(0);
  for (const ChartPoint& point : points) {
    for (const double value : {point.truth, point.estimate, point.lower, point.upper}) {
      scale.include(value);
    }
  }
  if (scale.high == scale.low) scale.high = scale.low + 1;
  return scale;
}

// Which of the three is in the cell that spans [bottom, top); the estimate covers the others.
const char* cell(const ChartPoint& point, double bottom, double top) {
  const auto inside = [&](double value) { return bottom <= value && value < top; };
  if (inside(point.estimate)) return kEstimate;
  if (inside(point.truth)) return kTruth;
  return point.lower < top && bottom <= point.upper ? kBand : " ";
}

}  // namespace

std::string with_commas(double value) {
  if (!std::isfinite(value)) return "-";
  const std::string digits = fmt::format("{:.0f}", std::abs(value));
  std::string text = std::round(value) < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string draw_chart(const std::vector<ChartPoint>& points, double level, int width, int height) {
  const Scale scale = scale_of(points);
  // Half a step of room, so that the largest value is inside the top row.
  const double step = (scale.high - scale.low) / (height - 1);
  const auto bottom_of = [&](int row) { return scale.low + (row - 0.5) * step; };
  const std::size_t margin =
      std::max(with_commas(scale.high).size(), with_commas(scale.low).size());
  const std::size_t columns = std::min(points.size(), static_cast<std::size_t>(width) - margin - 2);

  std::string chart;
  for (int row = height - 1; row >= 0; --row) {
    const bool labelled = row % 5 == 0 || row == height - 1;
    chart += fmt::format("{:>{}} {}", labelled ? with_commas(scale.low + row * step) : "", margin,
                         labelled ? "┤" : "│");
    for (std::size_t c = 0; c < columns; ++c) {
      chart +=
          cell(points[(c + 1) * points.size() / columns - 1], bottom_of(row), bottom_of(row + 1));
    }
    chart += '\n';
  }
  const std::string last = fmt::format("{}", points.size());
  const std::string title = "period 1";
  const std::size_t used = title.size() + last.size();
  chart += fmt::format("{:>{}}└", "", margin + 1);
  for (std::size_t c = 0; c < columns; ++c) chart += "─";
  chart += fmt::format("\n{:>{}}{}{:>{}}\n", "", margin + 2, title, last,
                       columns > used ? columns - title.size() : last.size() + 1);
  chart += fmt::format("{:>{}}{} estimate   {} its {:g}% band", "", margin + 2, kEstimate, kBand,
                       100 * level);
  const bool has_truth = std::any_of(points.begin(), points.end(), [](const ChartPoint& point) {
    return std::isfinite(point.truth);
  });
  if (has_truth) chart += fmt::format("   {} true count", kTruth);
  return chart + '\n';
}

}  // namespace futurerand::apps
