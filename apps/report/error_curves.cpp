#include "apps/report/error_curves.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "apps/report/page_style.hpp"
#include "apps/report/svg.hpp"

namespace futurerand::apps {
namespace {

struct EndLabel {
  double y;
  std::string name;
  std::string css_class;

  friend bool operator<(const EndLabel& a, const EndLabel& b) { return a.y < b.y; }
};

// Places labels at the right end, pushed apart so that none covers another, and back inside if the
// last ones would fall out of the chart.
std::string end_labels(std::vector<EndLabel> labels, double x, double bottom) {
  constexpr double kApart = 14;
  std::sort(labels.begin(), labels.end());
  double last = -kApart;
  for (EndLabel& label : labels) last = label.y = std::max(label.y, last + kApart);
  double limit = bottom;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    label->y = std::min(label->y, limit);
    limit = label->y - kApart;
  }
  std::string body;
  for (const EndLabel& label : labels) {
    body += text_at(x, label.y + 4, label.css_class + " label", label.name);
  }
  return body;
}

std::string draw(const ErrorCurves& chart, int width, const char* screen) {
  constexpr int kHeight = 360;
  Axis x{1, 1, 46, width - 104.0, true};
  Axis y{1, 10, kHeight - 34, 12, true};
  std::vector<double> all, xs;
  for (const ErrorCurve& curve : chart.curves) {
    all.insert(all.end(), curve.rmse.begin(), curve.rmse.end());
    xs.insert(xs.end(), curve.x.begin(), curve.x.end());
  }
  if (all.empty()) return "";
  for (const ErrorDot& dot : chart.dots) all.push_back(dot.rmse);
  fit(y, all);
  x.from = *std::min_element(xs.begin(), xs.end());
  x.to = std::max(*std::max_element(xs.begin(), xs.end()), x.from * 1.01);
  std::string body;
  for (const double tick : y.ticks(6)) {
    body += line_at(x.pixel_from, y.at(tick), x.pixel_to, y.at(tick), "grid");
    body += text_at(x.pixel_from - 6, y.at(tick) + 4, "end", short_number(tick));
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  double written = -100;
  for (const double value : xs) {
    if (x.at(value) < written + 26) continue;  // no room for every number
    written = x.at(value);
    body += text_at(written, kHeight - 16, "mid", short_number(value));
  }
  body += text_at((x.pixel_from + x.pixel_to) / 2, kHeight - 2, "mid", chart.axis);
  std::vector<EndLabel> labels;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    const ErrorCurve& curve = chart.curves[i];
    if (curve.x.empty()) continue;
    std::vector<double> px, py;
    for (std::size_t j = 0; j < curve.x.size(); ++j) {
      px.push_back(x.at(curve.x[j]));
      py.push_back(y.at(curve.rmse[j]));
    }
    const std::string css_class = curve_class(i);
    body += fmt::format("<path class=\"curve {}\" d=\"{}\"/>\n", css_class, line_path(px, py));
    for (std::size_t j = 0; j < px.size(); ++j) {
      body += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" class=\"point {}\"/>\n",
                          px[j], py[j], css_class);
    }
    labels.push_back({py.back(), curve.protocol, css_class});
  }
  for (const ErrorDot& dot : chart.dots) {
    body += dot_at(x.at(dot.x), y.at(dot.rmse), 4, dot.whole_sequence);
  }
  body += end_labels(labels, x.pixel_to + 8, kHeight - 8);
  return fmt::format("<div class=\"card {}\">", screen) +
         svg(chart.id + "-" + screen, width, kHeight, chart.title,
             "One curve a protocol, both axes logarithmic.", body) +
         "</div>\n";
}

}  // namespace

std::string draw(const ErrorCurves& chart) {
  return draw(chart, kWideChart, "wide") + draw(chart, kNarrowChart, "narrow");
}

}  // namespace futurerand::apps
