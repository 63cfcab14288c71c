// This is the server side over a file: it turns the lines that devices sent into estimates.
#include "futurerand/estimator/estimate.hpp"

#include <cmath>
#include <limits>
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/cli/flags.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/life_flags.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/read_reports.hpp"
#include "apps/cli/simulation_flags.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/cli/words.hpp"
#include "apps/commands/commands.hpp"
#include "apps/report/chart.hpp"
#include "apps/report/drowned.hpp"
#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/self_check.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

struct EstimateFlags {
  std::string reports;
  EstimatorFlags estimator;
  EstimandFlags estimand;
  bool incomplete = false;
  std::string band = "pointwise";
  std::string output;
  Format format = Format::kText;
};

struct Row {
  PeriodEstimate at;
  Band band;
  std::uint64_t reports = 0;   // due at the end of this period and in the file
  std::uint64_t expected = 0;  // due at the end of this period
};

std::vector<Band> bands_of(const Plan& plan, const std::vector<PeriodEstimate>& estimates,
                           const EstimateFlags& flags) {
  const double level = flags.estimator.level;
  return flags.band == "simultaneous" ? simultaneous_bands(estimates, level, plan.num_periods)
                                      : pointwise_bands(estimates, level);
}

// Periods after the last that anybody reported are not known.
std::vector<Row> make_active_rows(const FoldedReports& folded, const EstimateFlags& flags) {
  const Plan& plan = folded.header.plan;
  const std::vector<ActiveEstimate> active = estimate_active(
      plan, folded.sums, *folded.presence, {folded.current, flags.estimand.gone_after},
      flags.estimator.kind(), folded.current - 1);
  std::vector<PeriodEstimate> estimates;
  for (const ActiveEstimate& at : active) estimates.push_back(at.at);
  const std::vector<Band> bands = bands_of(plan, estimates, flags);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<Row> rows;
  for (Period t = 1; t <= plan.num_periods; ++t) {
    if (t <= active.size()) {
      rows.push_back(
          {estimates[t - 1], bands[t - 1], active[t - 1].reports, active[t - 1].devices});
    } else {
      rows.push_back({{t, kUnknown, kUnknown}, {kUnknown, kUnknown}});
    }
  }
  return rows;
}

std::vector<Row> make_rows(const FoldedReports& folded, const EstimateFlags& flags) {
  const Plan& plan = folded.header.plan;
  if (flags.estimand.chosen(plan) == Estimand::kActive) return make_active_rows(folded, flags);
  const std::vector<PeriodEstimate> estimates =
      estimate(plan, folded.sums, flags.estimator.kind(), plan.num_periods);
  const std::vector<Band> bands = bands_of(plan, estimates, flags);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < estimates.size(); ++i) rows.push_back({estimates[i], bands[i]});
  for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
    const std::vector<std::uint64_t> expected = folded.sums.expected_reports(view);
    for (std::uint32_t index = 1; index <= expected.size(); ++index) {
      Row& row = rows[Schedule(plan.views[view], plan.num_periods).due(index) - 1];
      row.reports += folded.sums.at(view, index).count;
      row.expected += expected[index - 1];
    }
  }
  return rows;
}

std::string warning_of(const FoldedReports& folded, const EstimateFlags& flags,
                       const std::vector<Row>& rows) {
  std::vector<double> widths;
  for (const Row& row : rows) {
    if (std::isfinite(row.band.upper)) widths.push_back(row.band.upper - row.band.lower);
  }
  return drowned(folded.devices, median(std::move(widths)), flags.estimator.level);
}

bool is_contradicted(const FoldedReports& folded, const EstimateFlags& flags,
                     const std::vector<Row>& rows) {
  const Plan& plan = folded.header.plan;
  if (flags.estimand.chosen(plan) == Estimand::kEnrolled) {
    return contradicted_by(plan, folded.sums, plan.num_periods) != 0;
  }
  if (flags.estimator.kind() == EstimatorKind::kTrend) return false;  // its errors are others
  std::vector<PeriodEstimate> estimates;
  std::vector<double> devices;
  for (const Row& row : rows) {
    estimates.push_back(row.at);
    devices.push_back(static_cast<double>(row.expected));
  }
  return impossible_by(plan, estimates, devices) != 0;
}

std::string to_csv(const std::vector<Row>& rows) {
  std::string text = "period,estimate,stddev,lower,upper\n";
  for (const Row& row : rows) {
    text += std::to_string(row.at.period);
    for (const double value : {row.at.estimate, row.at.stddev, row.band.lower, row.band.upper}) {
      // What the reports do not determine stays empty.
      text += std::isfinite(value) ? fmt::format(",{}", value) : ",";
    }
    text += '\n';
  }
  return text;
}

std::string to_json_text(const FoldedReports& folded, const EstimateFlags& flags,
                         const std::vector<Row>& rows) {
  const auto number = [](double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  const Plan& plan = folded.header.plan;
  const std::string warning = warning_of(folded, flags, rows);
  const Estimand estimand = flags.estimand.chosen(plan);
  Json json = {
      {"protocol", name_of(plan.protocol)},
      {"num_periods", plan.num_periods},
      {"max_changes", plan.max_changes},
      {"epsilon", plan.epsilon.value()},
      {"devices", folded.devices},
      {"seeded", folded.header.seeded},
      {"estimator", name_of(flags.estimator.kind())},
      {"estimand", name_of(estimand)},
      {"counted", counted_in_words(estimand, flags.estimator.kind(), flags.estimand.gone_after)},
      {"assumption", assumption_of(estimand, flags.estimator.kind(), flags.estimand.gone_after)},
      {"level", flags.estimator.level},
      {"band", flags.band},
      {"alarm", is_contradicted(folded, flags, rows) ? Json(kAlarmText) : Json(nullptr)},
      {"warning", warning.empty() ? Json(nullptr) : Json(warning)},
      {"periods", Json::array()}};
  for (const Row& row : rows) {
    json["periods"].push_back({{"period", row.at.period},
                               {"estimate", number(row.at.estimate)},
                               {"stddev", number(row.at.stddev)},
                               {"lower", number(row.band.lower)},
                               {"upper", number(row.band.upper)},
                               {"reports", row.reports},
                               {"expected", row.expected}});
  }
  return json.dump(2) + "\n";
}

std::string to_text(const FoldedReports& folded, const EstimateFlags& flags,
                    const std::vector<Row>& rows) {
  const Plan& plan = folded.header.plan;
  std::string text = fmt::format("{}: {}, {}, at most {} each, epsilon {} over the whole horizon\n",
                                 name_of(plan.protocol), counted(folded.devices, "device"),
                                 counted(plan.num_periods, "period"),
                                 counted(plan.max_changes, "change"), plan.epsilon.text());
  text += "counted: " +
          counted_in_words(flags.estimand.chosen(plan), flags.estimator.kind(),
                           flags.estimand.gone_after) +
          "\n";
  if (folded.header.seeded) text += std::string(kSeededNote) + "\n";
  std::vector<ChartPoint> points;
  for (const Row& row : rows) {
    points.push_back({std::numeric_limits<double>::quiet_NaN(), row.at.estimate, row.band.lower,
                      row.band.upper});
  }
  text += "\n" + draw_chart(points, flags.estimator.level) + "\n";
  if (flags.band == "simultaneous") {
    text += fmt::format("the band holds the whole curve at once with {:g}% confidence\n\n",
                        100 * flags.estimator.level);
  }
  text += fmt::format("{:>8} {:>14} {:>12} {:>14} {:>14}\n", "period", "estimate", "stddev",
                      "lower", "upper");
  // A long horizon is shown in steps; csv and json have every period.
  constexpr std::size_t kMostRows = 64;
  const std::size_t step = (rows.size() + kMostRows - 1) / kMostRows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((i + 1) % step != 0 && i + 1 != rows.size()) continue;
    const Row& row = rows[i];
    text += fmt::format("{:>8} {:>14.1f} {:>12.1f} {:>14.1f} {:>14.1f}\n", row.at.period,
                        row.at.estimate, row.at.stddev, row.band.lower, row.band.upper);
  }
  if (step > 1) {
    text += fmt::format("\none row for every {} periods; --format csv or json has all {}\n", step,
                        rows.size());
  }
  const std::string warning = warning_of(folded, flags, rows);
  if (!warning.empty()) text += "\nwarning: " + warning + "\n";
  if (is_contradicted(folded, flags, rows)) text += fmt::format("\nalarm: {}\n", kAlarmText);
  return text;
}

void run(const EstimateFlags& flags) {
  catch_interrupts();
  flags.estimator.kind();  // a wrong name is told before a long read
  TextSink sink(flags.output);
  const FoldedReports folded = [&] {
    Progress progress("estimate");
    return read_reports(flags.reports, {flags.incomplete, [&](double s) { progress.show(s); }});
  }();
  const std::vector<Row> rows = make_rows(folded, flags);
  switch (flags.format) {
    case Format::kCsv:
      sink.write(to_csv(rows));
      break;
    case Format::kJson:
      sink.write(to_json_text(folded, flags, rows));
      break;
    case Format::kText:
      sink.write(to_text(folded, flags, rows));
      break;
  }
  sink.commit();
}

}  // namespace

void add_estimate(CLI::App& app) {
  const auto flags = std::make_shared<EstimateFlags>();
  CLI::App* command = app.add_subcommand(
      "estimate", "The server side over a file: the lines that devices sent in, estimates out");
  command->add_option("--reports", flags->reports, "JSON lines; standard input if not given")
      ->type_name("FILE");
  flags->estimator.add_to(*command);
  flags->estimand.add_to(*command);
  command
      ->add_option("--band", flags->band,
                   "pointwise: each period's count is inside its band with --level; simultaneous: "
                   "the whole curve is")
      ->check(CLI::IsMember({"pointwise", "simultaneous"}))
      ->capture_default_str()
      ->type_name("pointwise|simultaneous");
  command->add_flag("--incomplete", flags->incomplete,
                    "take a file that ends before all devices reported all that they owe");
  command->add_option("--output", flags->output, "a file instead of standard output")
      ->type_name("FILE");
  add_format(*command, flags->format, true);
  command->footer(
      "Example: futurerand randomize --values values.csv --periods 36 --changes 3 | "
      "futurerand estimate --format csv");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
