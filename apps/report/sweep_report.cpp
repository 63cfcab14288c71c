#include "apps/report/sweep_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "apps/report/error_curves.hpp"
#include "apps/report/page_style.hpp"
#include "apps/report/svg.hpp"
#include "futurerand/documents/captions.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

// Bars have a logarithmic scale, from a third of the smallest error to the largest.
std::string bar(double rmse, double least, double most) {
  constexpr double kWidth = 30;
  if (!std::isfinite(rmse) || rmse <= 0) return "";
  const double share = std::log(rmse / (least / 3)) / std::log(most / (least / 3));
  std::string drawn;
  for (int i = 0; i < static_cast<int>(std::lround(kWidth * share)); ++i) drawn += "▇";
  return drawn;
}

std::string heading(const SweepResult& sweep) {
  std::string values;
  for (const SweepPoint& point : sweep.points) {
    values += (values.empty() ? "" : ", ") + point.value;
  }
  return fmt::format("{} takes these values in turn: {}", sweep.parameter, values);
}

std::vector<std::string> warnings(const SweepResult& sweep) {
  std::vector<std::string> all;
  for (const SweepPoint& point : sweep.points) {
    const std::string warning = too_noisy_protocols(point.comparison);
    if (warning.empty()) continue;
    all.push_back(fmt::format("{} {}: {}", sweep.parameter, point.value, warning));
  }
  return all;
}

}  // namespace

std::string to_text(const SweepResult& sweep) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const SweepPoint& point : sweep.points) {
    for (const TimedResult& timed : point.comparison.results) {
      if (!(timed.result.rmse > 0)) continue;
      least = std::min(least, timed.result.rmse);
      most = std::max(most, timed.result.rmse);
    }
  }
  const Comparison& first = sweep.points.front().comparison;
  std::string text =
      fmt::format("{}\n{}\n\n", describe(first.question, first.num_users), heading(sweep));
  text += fmt::format("{:>9} {:<13} {:>11} {:>11} {:>13} {:>8}  {}\n", sweep.parameter, "protocol",
                      "rmse", "predicted", "largest error", "in band", "rmse, on a log scale");
  for (const SweepPoint& point : sweep.points) {
    for (const TimedResult& timed : point.comparison.results) {
      const SimulationResult& result = timed.result;
      text += fmt::format(
          "{:>9} {:<13} {:>11} {:>11} {:>13} {:>8}  {}\n", point.value, result.traits.name,
          rmse_text(result), result.predicted_rmse ? with_commas(*result.predicted_rmse) : "-",
          max_error_text(result), coverage_text(result), bar(result.rmse, least, most));
    }
    for (const Unavailable& missing : point.comparison.unavailable) {
      text += fmt::format("{:>9} {:<13} {}\n", point.value, missing.protocol, missing.reason);
    }
  }
  text += fmt::format("\n{}\n", fmt::join(figures_legend(first.question.level), "\n"));
  for (const std::string& warning : warnings(sweep)) text += "warning: " + warning + "\n";
  return text;
}

std::string to_csv(const SweepResult& sweep) {
  CsvWriter csv("parameter,value," + std::string(kComparisonColumns) + ",unavailable");
  for (const SweepPoint& point : sweep.points) {
    for (const TimedResult& timed : point.comparison.results) {
      csv.cell(sweep.parameter).cell(point.value);
      put_row(csv, point.comparison, timed);
      csv.cell("").end_row();
    }
    for (const Unavailable& missing : point.comparison.unavailable) {
      csv.cell(sweep.parameter).cell(point.value);
      put_row(csv, point.comparison, missing);
      csv.cell(missing.reason).end_row();
    }
  }
  return std::move(csv).take();
}

Json to_json(const SweepResult& sweep) {
  Json json = {
      {"sweep", sweep.parameter}, {"results", Json::array()}, {"unavailable", Json::array()}};
  for (const SweepPoint& point : sweep.points) {
    for (const TimedResult& timed : point.comparison.results) {
      Json result = to_json(point.comparison.question, point.comparison.num_users, timed);
      Json row = {{"value", point.value}};
      row.update(result);
      json["results"].push_back(std::move(row));
    }
    for (const Unavailable& missing : point.comparison.unavailable) {
      json["unavailable"].push_back(
          {{"value", point.value}, {"protocol", missing.protocol}, {"reason", missing.reason}});
    }
  }
  return json;
}

std::string sweep_page(const SweepResult& sweep) {
  std::map<std::string, ErrorCurve> curves;
  for (const SweepPoint& point : sweep.points) {
    for (const TimedResult& timed : point.comparison.results) {
      if (!has_answer(timed.result)) continue;
      ErrorCurve& curve = curves[timed.result.traits.name];
      curve.protocol = timed.result.traits.name;
      curve.x.push_back(std::strtod(point.value.c_str(), nullptr));
      curve.rmse.push_back(timed.result.rmse);
    }
  }
  ErrorCurves chart{"sweep", "Measured error against " + sweep.parameter, sweep.parameter, {}, {}};
  for (auto& [name, curve] : curves) chart.curves.push_back(std::move(curve));
  const Comparison& first = sweep.points.front().comparison;
  std::string html = page_head("futurerand: a sweep of " + sweep.parameter);
  html += "<h1>Error against " + escape_html(sweep.parameter) + "</h1>\n";
  html += fmt::format("<p>{}<br>{}.</p>\n", escape_html(describe(first.question, first.num_users)),
                      escape_html(heading(sweep)));
  html += "<p>Root mean square over periods and trials, in users; both axes logarithmic.</p>\n";
  html += draw(chart);
  html += "<h2>All figures</h2>\n<table><thead><tr><th class=\"left\">" +
          escape_html(sweep.parameter) +
          "</th><th class=\"left\">protocol</th><th>rmse</th><th>predicted</th>"
          "<th>largest error</th><th>in band</th></tr></thead><tbody>\n";
  for (const SweepPoint& point : sweep.points) {
    for (const TimedResult& timed : point.comparison.results) {
      const SimulationResult& result = timed.result;
      html += fmt::format(
          "<tr><td class=\"left\" data-label=\"{}\">{}</td><td class=\"left\" "
          "data-label=\"protocol\">{}</td><td data-label=\"rmse\">{}</td><td "
          "data-label=\"predicted\">{}</td><td data-label=\"largest error\">{}</td><td "
          "data-label=\"in band\">{}</td></tr>\n",
          escape_html(sweep.parameter), escape_html(point.value), result.traits.name,
          rmse_text(result), result.predicted_rmse ? with_commas(*result.predicted_rmse) : "-",
          max_error_text(result), coverage_text(result));
    }
  }
  html += fmt::format("</tbody></table>\n<p>{}.</p>\n",
                      fmt::join(figures_legend(first.question.level), "; "));
  for (const std::string& warning : warnings(sweep)) {
    html += "<p>Warning: " + escape_html(warning) + ".</p>\n";
  }
  for (const SweepPoint& point : sweep.points) {
    for (const Unavailable& missing : point.comparison.unavailable) {
      html += fmt::format("<p>{} {}, {}: {}</p>\n", escape_html(sweep.parameter),
                          escape_html(point.value), missing.protocol, escape_html(missing.reason));
    }
  }
  return html + page_end();
}

}  // namespace futurerand::apps
