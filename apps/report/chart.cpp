#include "apps/report/chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "futurerand/documents/captions.hpp"

namespace futurerand::apps {
namespace {

constexpr const char* kBand = "░";
constexpr const char* kTruth = "─";
constexpr const char* kEstimate = "●";

constexpr int kRowsATick = 5;

// Rows are `unit` high and centred on its multiples; every fifth multiple is a round number.
struct Rows {
  double unit;
  int lowest;
  int highest;

  double centre(int row) const { return row * unit; }
};

// Finds the least round unit for `height` rows.
double round_unit(double range, int height) {
  const double least = range / (height - 1);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 4.0, 5.0}) {
    if (least <= digit * power) return digit * power;
  }
  return 10 * power;
}

Rows rows_for(const std::vector<ChartPoint>& points, int height) {
  double low = 0;
  double high = 0;
  for (const ChartPoint& point : points) {
    for (const double value : {point.truth, point.estimate, point.lower, point.upper}) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (high == low) high = 1;
  const double unit = round_unit(high - low, height);
  return {unit, static_cast<int>(std::floor(low / unit + 0.5)),
          static_cast<int>(std::floor(high / unit + 0.5))};
}

// Chooses one of the three for the cell [bottom, top); the estimate covers the others.
const char* cell(const ChartPoint& point, double bottom, double top) {
  const auto inside = [&](double value) { return bottom <= value && value < top; };
  if (inside(point.estimate)) return kEstimate;
  if (inside(point.truth)) return kTruth;
  return point.lower < top && bottom <= point.upper ? kBand : " ";
}

}  // namespace

std::string draw_chart(const std::vector<ChartPoint>& points, double level, int width, int height) {
  const Rows rows = rows_for(points, height);
  const std::size_t margin = std::max(with_commas(rows.centre(rows.highest)).size(),
                                      with_commas(rows.centre(rows.lowest)).size());
  const std::size_t columns = std::min(points.size(), static_cast<std::size_t>(width) - margin - 2);

  std::string chart;
  for (int row = rows.highest; row >= rows.lowest; --row) {
    const double centre = rows.centre(row);
    const bool tick = row % kRowsATick == 0;
    chart += fmt::format("{:>{}} {}", tick ? with_commas(centre) : "", margin, tick ? "┤" : "│");
    for (std::size_t c = 0; c < columns; ++c) {
      chart += cell(points[(c + 1) * points.size() / columns - 1], centre - rows.unit / 2,
                    centre + rows.unit / 2);
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
