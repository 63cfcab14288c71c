#include "apps/report/svg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace futurerand::apps {

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

double Axis::at(double value) const {
  const double share =
      log ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
  return pixel_from + share * (pixel_to - pixel_from);
}

std::vector<double> Axis::ticks(int wanted) const {
  std::vector<double> ticks;
  if (log) {
    const bool few_decades = to / from < 1000;
    for (double power = std::pow(10, std::floor(std::log10(from))); power <= to; power *= 10) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double tick = digit * power;
        if ((digit == 1 || few_decades) && tick >= from && tick <= to) ticks.push_back(tick);
      }
    }
    return ticks;
  }
  const double rough = (to - from) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  for (double i = std::ceil(from / step); i * step <= to; ++i) ticks.push_back(i * step);
  return ticks;
}

void fit(Axis& axis, const std::vector<double>& values) {
  axis.from = std::numeric_limits<double>::infinity();
  axis.to = 0;
  for (const double value : values) {
    if (!std::isfinite(value) || value <= 0) continue;
    axis.from = std::min(axis.from, value / 1.25);
    axis.to = std::max(axis.to, value * 1.25);
  }
}

std::string line_path(const std::vector<double>& x, const std::vector<double>& y) {
  std::string path;
  bool down = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool there = std::isfinite(y[i]);
    if (there) path += fmt::format("{}{:.1f} {:.1f}", down ? "L" : "M", x[i], y[i]);
    down = there;
  }
  return path;
}

std::string svg(std::string_view id, int width, int height, std::string_view title,
                std::string_view description, std::string_view body) {
  return fmt::format(
      "<svg viewBox=\"0 0 {1} {2}\" role=\"img\" aria-labelledby=\"{0}-t {0}-d\">\n"
      "<title id=\"{0}-t\">{3}</title><desc id=\"{0}-d\">{4}</desc>\n{5}</svg>\n",
      id, width, height, escape_html(title), escape_html(description), body);
}

std::string text_at(double x, double y, std::string_view css_class, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, css_class,
                     escape_html(text));
}

std::string line_at(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
      y2, css_class);
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) return fmt::format("{:.3g}G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.3g}M", value / 1e6);
  if (size >= 1e3) return fmt::format("{:.3g}k", value / 1e3);
  return fmt::format("{:.3g}", value);
}

}  // namespace futurerand::apps
