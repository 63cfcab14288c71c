#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "apps/report/chart.hpp"
#include "apps/report/comparison.hpp"
#include "apps/report/palette.hpp"
#include "apps/report/svg.hpp"

namespace futurerand::apps {
namespace {

constexpr const char* kStyle = R"(* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 2rem 1.25rem 4rem; background: var(--page);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .25rem; }
p { margin: .25rem 0 1rem; color: var(--muted); max-width: 46rem; }
.panels { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); }
.card { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .75rem; }
svg { display: block; width: 100%; height: auto; }
text { font: 11px system-ui, sans-serif; fill: var(--muted); }
.name { font-size: 13px; font-weight: 600; fill: var(--ink); } .end { text-anchor: end; }
.mid { text-anchor: middle; } .grid { stroke: var(--line); } .axis { stroke: var(--muted); }
.band { fill: var(--band); } .estimate, .curve { fill: none; stroke: var(--estimate); }
.truth { fill: none; stroke: var(--truth); stroke-width: 1.75; }
.dot { fill: var(--estimate); } .dot.weaker { fill: var(--raised); stroke: var(--estimate); stroke-width: 2; } .tick { stroke: var(--truth); stroke-width: 2; }
.curve { stroke-width: 1.5; opacity: .55; } .curve.best { stroke-width: 3; opacity: 1; }
.key { display: inline-block; width: 1.4em; height: .55em; margin: 0 .35em 0 .9em; }
.key:first-child { margin-left: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; white-space: nowrap; }
th { color: var(--muted); font-weight: 600; } th:first-child, td:first-child, .left { text-align: left; }
)";

// The pixels of one period in each of at most kMost columns: more would not be seen.
std::vector<const SimulatedPeriod*> shown(const std::vector<SimulatedPeriod>& periods) {
  constexpr std::size_t kMost = 600;
  const std::size_t columns = std::min(kMost, periods.size());
  std::vector<const SimulatedPeriod*> points;
  for (std::size_t c = 0; c < columns; ++c) {
    points.push_back(&periods[(c + 1) * periods.size() / columns - 1]);
  }
  return points;
}

std::string band_path(const std::vector<double>& x, const std::vector<double>& low,
                      const std::vector<double>& high) {
  std::vector<double> around = x;
  std::vector<double> edge = low;
  around.insert(around.end(), x.rbegin(), x.rend());
  edge.insert(edge.end(), high.rbegin(), high.rend());
  return line_path(around, edge) + "Z";
}

// The name, with what it lacks of privacy over the whole sequence, online.
std::string titled(const ProtocolTraits& traits) {
  std::string title = traits.name;
  if (traits.guarantee != Guarantee::kWholeSequence) {
    title += fmt::format(" ({})", name_of(traits.guarantee));
  }
  return title + (traits.online ? "" : " (offline)");
}

// A dot is filled where the protocol is private over the whole sequence, and hollow elsewhere.
std::string dot_at(double x, double y, int radius, const ProtocolTraits& traits) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"dot{}\"/>\n", x, y,
                     radius, traits.guarantee == Guarantee::kWholeSequence ? "" : " weaker");
}

// Every panel has the same scale, from a quarter below nobody to a quarter above everybody, so that
// a wide band looks wide.
std::string estimate_panel(const Comparison& comparison, std::size_t i) {
  constexpr int kWidth = 320;
  constexpr int kHeight = 200;
  const SimulationResult& result = comparison.results[i].result;
  const double users = static_cast<double>(comparison.num_users);
  const Axis x{1, std::max(2.0, static_cast<double>(result.periods.size())), 44, kWidth - 8};
  const Axis y{-0.25 * users, 1.25 * users, kHeight - 22, 26};
  std::vector<double> xs, truth, estimate, low, high;
  for (const SimulatedPeriod* at : shown(result.periods)) {
    xs.push_back(x.at(at->period));
    truth.push_back(y.at(static_cast<double>(at->truth)));
    estimate.push_back(y.at(at->estimate));
    const bool there = std::isfinite(at->band.lower) && std::isfinite(at->band.upper);
    low.push_back(there ? y.at(at->band.lower) : y.at(-users));
    high.push_back(there ? y.at(at->band.upper) : y.at(2 * users));
  }
  std::string body = text_at(4, 14, "name", titled(result.traits));
  body += text_at(kWidth - 8, 14, "end", "rmse " + with_commas(result.rmse));
  for (const double tick : {0.0, users / 2, users}) {
    body += line_at(x.pixel_from, y.at(tick), x.pixel_to, y.at(tick), "grid");
    body += text_at(x.pixel_from - 5, y.at(tick) + 4, "end", short_number(tick));
  }
  body += text_at(x.pixel_from, kHeight - 6, "", "period 1");
  body += text_at(x.pixel_to, kHeight - 6, "end", fmt::format("{}", result.periods.size()));
  const std::string clip = fmt::format("clip{}", i);
  body += fmt::format(
      "<clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n", clip,
      x.pixel_from, y.pixel_to, x.pixel_to - x.pixel_from, y.pixel_from - y.pixel_to);
  body += fmt::format(
      "<g clip-path=\"url(#{})\"><path class=\"band\" d=\"{}\"/>"
      "<path class=\"estimate\" d=\"{}\"/><path class=\"truth\" d=\"{}\"/></g>\n",
      clip, band_path(xs, low, high), line_path(xs, estimate), line_path(xs, truth));
  const std::string title = result.traits.name + ": estimate and true count over time";
  const std::string description =
      fmt::format("Root mean square error {} of {} users; {:.1f}% of periods inside the band.",
                  with_commas(result.rmse), with_commas(users), 100 * result.band_coverage);
  return "<div class=\"card\">" +
         svg(fmt::format("panel{}", i), kWidth, kHeight, title, description, body) + "</div>\n";
}

// The smallest and largest value with room around, for a logarithmic axis.
void fit(Axis& axis, const std::vector<double>& values) {
  axis.from = std::numeric_limits<double>::infinity();
  axis.to = 0;
  for (const double value : values) {
    if (!std::isfinite(value) || value <= 0) continue;
    axis.from = std::min(axis.from, value / 1.25);
    axis.to = std::max(axis.to, value * 1.25);
  }
}

std::string error_chart(const Comparison& comparison) {
  constexpr int kWidth = 900;
  constexpr int kRow = 26;
  const int height = 34 + kRow * static_cast<int>(comparison.results.size());
  std::vector<double> all;
  for (const TimedResult& timed : comparison.results) {
    all.push_back(timed.result.rmse);
    if (timed.result.predicted_rmse) all.push_back(*timed.result.predicted_rmse);
  }
  Axis x{1, 10, 110, kWidth - 70, true};
  fit(x, all);
  std::string body;
  for (const double tick : x.ticks(6)) {
    body += line_at(x.at(tick), 6, x.at(tick), height - 24, "grid");
    body += text_at(x.at(tick), height - 8, "mid", short_number(tick));
  }
  double y = 20;
  for (const TimedResult& timed : comparison.results) {
    const SimulationResult& result = timed.result;
    body += text_at(100, y + 4, "name end", result.traits.name);
    body += line_at(x.pixel_from, y, x.at(result.rmse), y, "grid");
    double right = x.at(result.rmse);
    if (result.predicted_rmse) {
      const double at = x.at(*result.predicted_rmse);
      body += line_at(at, y - 8, at, y + 8, "tick");
      right = std::max(right, at);
    }
    body += dot_at(x.at(result.rmse), y, 5, result.traits);
    body += text_at(right + 12, y + 4, "", with_commas(result.rmse));
    y += kRow;
  }
  return "<div class=\"card\">" +
         svg("errors", kWidth, height, "Root mean square error by protocol",
             "Measured and predicted, in users, on a logarithmic axis.", body) +
         "</div>\n";
}

// Labels at the right end, pushed apart so that none covers another.
std::string end_labels(std::vector<std::pair<double, std::string>> labels, double x) {
  constexpr double kApart = 14;
  std::sort(labels.begin(), labels.end());
  std::string body;
  double last = -kApart;
  for (const auto& [y, name] : labels) {
    last = std::max(y, last + kApart);
    body += text_at(x, last + 4, "", name);
  }
  return body;
}

std::string changes_chart(const Comparison& comparison) {
  constexpr int kWidth = 900;
  constexpr int kHeight = 360;
  Axis x{1, 2, 60, kWidth - 110, true};
  Axis y{1, 10, kHeight - 34, 12, true};
  std::vector<double> all;
  for (const ErrorAgainstChanges& curve : comparison.against_changes) {
    all.insert(all.end(), curve.rmse.begin(), curve.rmse.end());
    if (!curve.changes.empty()) x.to = std::max(x.to, curve.changes.back());
  }
  if (all.empty()) return "";
  for (const TimedResult& timed : comparison.results) all.push_back(timed.result.rmse);
  fit(y, all);
  std::string body;
  for (const double tick : y.ticks(6)) {
    body += line_at(x.pixel_from, y.at(tick), x.pixel_to, y.at(tick), "grid");
    body += text_at(x.pixel_from - 6, y.at(tick) + 4, "end", short_number(tick));
  }
  for (double k = 1; k <= x.to; k *= 2) {
    body += text_at(x.at(k), kHeight - 16, "mid", fmt::format("{}", k));
  }
  body +=
      text_at((x.pixel_from + x.pixel_to) / 2, kHeight - 2, "mid", "most changes of one user, k");
  std::vector<std::pair<double, std::string>> labels;
  for (const ErrorAgainstChanges& curve : comparison.against_changes) {
    if (curve.changes.empty()) continue;
    std::vector<double> xs, ys;
    for (std::size_t i = 0; i < curve.changes.size(); ++i) {
      xs.push_back(x.at(curve.changes[i]));
      ys.push_back(y.at(curve.rmse[i]));
    }
    const bool best = curve.protocol == comparison.results.front().result.traits.name;
    body +=
        fmt::format("<path class=\"curve{}\" d=\"{}\"/>\n", best ? " best" : "", line_path(xs, ys));
    labels.emplace_back(ys.back(), curve.protocol);
  }
  for (const TimedResult& timed : comparison.results) {
    body += dot_at(x.at(comparison.flags.plan.changes), y.at(timed.result.rmse), 4,
                   timed.result.traits);
  }
  body += end_labels(labels, x.pixel_to + 8);
  return "<div class=\"card\">" +
         svg("changes", kWidth, kHeight, "Predicted error against the number of changes",
             "One curve a protocol, both axes logarithmic; dots are this run's measured errors.",
             body) +
         "</div>\n";
}

std::string table(const Comparison& comparison) {
  std::string html =
      "<div class=\"scroll\"><table><thead><tr><th>protocol</th><th>rmse</th><th>predicted</th>"
      "<th>largest error</th><th>coverage</th><th>bits a user</th><th>first answer</th>"
      "<th class=\"left\">guarantee</th></tr></thead><tbody>\n";
  for (const TimedResult& timed : comparison.results) {
    const SimulationResult& result = timed.result;
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1f}%</td><td>{:.1f}</td>"
        "<td>{}</td><td class=\"left\">{}</td></tr>\n",
        result.traits.name, with_commas(result.rmse),
        result.predicted_rmse ? with_commas(*result.predicted_rmse) : "-",
        with_commas(result.max_error), 100 * result.band_coverage, result.traits.bits_per_user,
        first_answer(result.traits), guarantee_text(result.traits));
  }
  html += "</tbody></table></div>\n";
  for (const TimedResult& timed : comparison.results) {
    if (timed.result.clipping_bias.value_or(0) <= 0) continue;
    html +=
        fmt::format("<p>{} hides changes: a bias of {} users, apart from what is predicted.</p>\n",
                    timed.result.traits.name, with_commas(*timed.result.clipping_bias));
  }
  for (const Unavailable& missing : comparison.unavailable) {
    html += fmt::format("<p>{}: {}</p>\n", missing.protocol, escape_html(missing.reason));
  }
  return html;
}

}  // namespace

std::string comparison_page(const Comparison& comparison) {
  std::string html = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<title>futurerand: protocols compared</title>\n";
  html += fmt::format("<style>\n{}{}</style>\n", palette_css(), kStyle);
  html += "</head><body>\n<h1>Protocols compared</h1>\n";
  html += fmt::format("<p>{}</p>\n", escape_html(describe(comparison.flags, comparison.num_users)));
  html += "<h2>True count and estimates</h2>\n";
  html += fmt::format(
      "<p>First trial of each. <span class=\"key\" style=\"background:var(--truth)\"></span>true "
      "count<span class=\"key\" style=\"background:var(--estimate)\"></span>estimate"
      "<span class=\"key\" style=\"background:var(--band)\"></span>its {:g}% band</p>\n",
      100 * comparison.flags.estimator.level);
  html += "<div class=\"panels\">\n";
  for (std::size_t i = 0; i < comparison.results.size(); ++i) {
    html += estimate_panel(comparison, i);
  }
  html += "</div>\n<h2>Error by protocol</h2>\n";
  html +=
      "<p>Root mean square over periods and trials, in users. "
      "<span class=\"key\" style=\"background:var(--estimate)\"></span>measured"
      "<span class=\"key\" style=\"background:var(--truth)\"></span>predicted. A hollow dot is not "
      "private over the whole sequence: it is no equal of the others.</p>\n";
  html += error_chart(comparison);
  html += "<h2>Error against k</h2>\n";
  html += "<p>Predicted, if users may change more or less often. Dots: measured in this run.</p>\n";
  html += changes_chart(comparison);
  html += "<h2>All figures</h2>\n" + table(comparison);
  return html + "</body></html>\n";
}

}  // namespace futurerand::apps
