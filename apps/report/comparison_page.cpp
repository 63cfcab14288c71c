#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "apps/report/chart.hpp"
#include "apps/report/comparison.hpp"
#include "apps/report/error_curves.hpp"
#include "apps/report/page_style.hpp"
#include "apps/report/svg.hpp"
#include "futurerand/documents/captions.hpp"

namespace futurerand::apps {
namespace {

// Returns the drawn periods, one a column: more than kMost would be invisible.
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

// Writes the name, with a remark unless it is private over the whole sequence and online.
std::string titled(const ProtocolTraits& traits) {
  std::string title = traits.name;
  if (traits.guarantee != Guarantee::kWholeSequence) {
    title += fmt::format(" ({})", name_of(traits.guarantee));
  }
  return title + (traits.online ? "" : " (offline)");
}

bool private_over_all(const SimulationResult& result) {
  return result.traits.guarantee == Guarantee::kWholeSequence;
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
    truth.push_back(y.at(at->truth));
    estimate.push_back(y.at(at->estimate));
    const bool there = std::isfinite(at->band.lower) && std::isfinite(at->band.upper);
    low.push_back(there ? y.at(at->band.lower) : y.at(-users));
    high.push_back(there ? y.at(at->band.upper) : y.at(2 * users));
  }
  std::string body = text_at(4, 14, "name", titled(result.traits));
  body += text_at(kWidth - 8, 14, "end", "rmse " + rmse_text(result));
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
      has_answer(result)
          ? fmt::format("Root mean square error {} of {} users; {} of periods inside the band.",
                        rmse_text(result), with_commas(users), coverage_text(result))
          : "No answer in any period.";
  return "<div class=\"card\">" +
         svg(fmt::format("panel{}", i), kWidth, kHeight, title, description, body) + "</div>\n";
}

std::string error_chart(const Comparison& comparison, int width, const char* screen) {
  constexpr int kRow = 26;
  const int height = 34 + kRow * static_cast<int>(comparison.results.size());
  std::vector<double> all;
  for (const TimedResult& timed : comparison.results) {
    if (has_answer(timed.result)) all.push_back(timed.result.rmse);
    if (timed.result.predicted_rmse) all.push_back(*timed.result.predicted_rmse);
  }
  Axis x{1, 10, 118, width - 70.0, true};
  fit(x, all);
  std::string body;
  for (const double tick : x.ticks(width / 60)) {
    body += line_at(x.at(tick), 6, x.at(tick), height - 24, "grid");
    body += text_at(x.at(tick), height - 8, "mid", short_number(tick));
  }
  double y = 20;
  for (const TimedResult& timed : comparison.results) {
    const SimulationResult& result = timed.result;
    body += text_at(108, y + 4, "name end", result.traits.name);
    const double measured = has_answer(result) ? x.at(result.rmse) : x.pixel_from;
    body += line_at(x.pixel_from, y, measured, y, "grid");
    double right = measured;
    if (result.predicted_rmse) {
      const double at = x.at(*result.predicted_rmse);
      body += line_at(at, y - 8, at, y + 8, "tick");
      right = std::max(right, at);
    }
    if (has_answer(result)) body += dot_at(measured, y, 5, private_over_all(result));
    body += text_at(right + 12, y + 4, "", rmse_text(result));
    y += kRow;
  }
  return fmt::format("<div class=\"card {}\">", screen) +
         svg(fmt::format("errors-{}", screen), width, height, "Root mean square error by protocol",
             "Measured and predicted, in users, on a logarithmic axis.", body) +
         "</div>\n";
}

std::string changes_chart(const Comparison& comparison) {
  ErrorCurves chart{"changes",
                    "Predicted error against the number of changes",
                    "most changes of one user, k",
                    comparison.against_changes,
                    {}};
  for (const TimedResult& timed : comparison.results) {
    if (!has_answer(timed.result)) continue;
    chart.dots.push_back({static_cast<double>(comparison.question.changes), timed.result.rmse,
                          private_over_all(timed.result)});
  }
  return draw(chart);
}

std::string table(const Comparison& comparison) {
  std::string html =
      "<table><thead><tr><th>protocol</th><th>rmse</th><th>predicted</th>"
      "<th>largest error</th><th>in band</th><th>bits a user</th><th>first answer</th>"
      "<th class=\"left\">guarantee</th></tr></thead><tbody>\n";
  for (const TimedResult& timed : comparison.results) {
    const SimulationResult& result = timed.result;
    html += fmt::format(
        "<tr><td data-label=\"protocol\">{}</td><td data-label=\"rmse\">{}</td>"
        "<td data-label=\"predicted\">{}</td><td data-label=\"largest error\">{}</td>"
        "<td data-label=\"in band\">{}</td><td data-label=\"bits a user\">{:.1f}</td>"
        "<td data-label=\"first answer\">{}</td>"
        "<td class=\"left long\" data-label=\"guarantee\">{}</td></tr>\n",
        result.traits.name, rmse_text(result),
        result.predicted_rmse ? with_commas(*result.predicted_rmse) : "-", max_error_text(result),
        coverage_text(result), result.traits.bits_per_user, first_answer(result.traits),
        guarantee_text(result.traits));
  }
  html += fmt::format(
      "</tbody></table>\n<p>{}; bits a user: of reports, over the whole horizon; first answer: the "
      "period at whose end the first estimate is known.</p>\n",
      fmt::join(figures_legend(comparison.question.level), "; "));
  if (const std::string warning = too_noisy_protocols(comparison); !warning.empty()) {
    html += "<p>Warning: " + warning + ".</p>\n";
  }
  for (const TimedResult& timed : comparison.results) {
    if (timed.result.clipping_bias.value_or(0) <= 0) continue;
    html += fmt::format("<p>{} hides changes: a bias of {} users beside the predicted error.</p>\n",
                        timed.result.traits.name, with_commas(*timed.result.clipping_bias));
  }
  for (const Unavailable& missing : comparison.unavailable) {
    html += fmt::format("<p>{}: {}</p>\n", missing.protocol, escape_html(missing.reason));
  }
  return html;
}

}  // namespace

std::string comparison_page(const Comparison& comparison) {
  std::string html = page_head("futurerand: protocols compared");
  html += "<h1>Protocols compared</h1>\n";
  html +=
      fmt::format("<p>{}</p>\n", escape_html(describe(comparison.question, comparison.num_users)));
  html += "<h2>True count and estimates</h2>\n";
  html +=
      "<p>The first trial of each. Every chart reaches from a quarter below nobody to a quarter "
      "above everybody, and cuts off what lies beyond. " +
      key_entry("truth", "true count") + " " + key_entry("estimate", "estimate") + " " +
      key_entry("band", fmt::format("its {:g}% band", 100 * comparison.question.level)) + "</p>\n";
  html += "<div class=\"panels\">\n";
  for (std::size_t i = 0; i < comparison.results.size(); ++i) {
    html += estimate_panel(comparison, i);
  }
  html += "</div>\n<h2>Error by protocol</h2>\n";
  html += "<p>Root mean square over periods and trials, in users. " + key_entry("ink", "measured") +
          " " + key_entry("truth", "predicted") +
          " A protocol with a hollow dot is not private over the whole sequence: it is no equal of "
          "the others.</p>\n";
  html += error_chart(comparison, kWideChart, "wide");
  html += error_chart(comparison, kNarrowChart, "narrow");
  html += "<h2>Error against k</h2>\n";
  html +=
      "<p>Predicted, if users may change more or less often; a curve ends where its protocol "
      "cannot "
      "serve k, and one without a closed form has none. Dots: measured in this run.</p>\n";
  html += changes_chart(comparison);
  html += "<h2>All figures</h2>\n" + table(comparison);
  return html + page_end();
}

}  // namespace futurerand::apps
