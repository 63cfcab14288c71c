// The few pieces of SVG and HTML in our charts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace futurerand::apps {

// Escapes text, so that it may stand anywhere in HTML.
std::string escape_html(std::string_view text);

// An Axis maps values to pixels, linearly or logarithmically (then values are > 0).
struct Axis {
  double from;
  double to;
  double pixel_from;
  double pixel_to;
  bool log = false;

  double at(double value) const;
  // Returns round values inside the axis, about `wanted` of them; powers of ten (and 2, 5) if log.
  std::vector<double> ticks(int wanted) const;
};

// Makes a logarithmic axis span the positive values, with room around.
void fit(Axis& axis, const std::vector<double>& values);

// Writes "M x y L x y ...", lifting the pen at values that are not numbers.
std::string line_path(const std::vector<double>& x, const std::vector<double>& y);

// Opens <svg> with a title and a description for screen readers. `id` is unique on the page.
std::string svg(std::string_view id, int width, int height, std::string_view title,
                std::string_view description, std::string_view body);

std::string text_at(double x, double y, std::string_view css_class, std::string_view text);
std::string line_at(double x1, double y1, double x2, double y2, std::string_view css_class);

// Writes 1500 as 1.5k, 2000000 as 2M.
std::string short_number(double value);

}  // namespace futurerand::apps
