// The server side over a file: turns the lines of devices into estimates.
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/flags.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/progress_bar.hpp"
#include "apps/cli/read_reports.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/commands/commands.hpp"
#include "apps/report/chart.hpp"
#include "futurerand/documents/answer_document.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/documents/difference_document.hpp"
#include "futurerand/study/report_fold.hpp"

namespace futurerand::apps {
namespace {

struct EstimateFlags {
  std::string reports;
  EstimateQuestion question;
  std::string output;
  Format format = Format::kText;
  std::string before, after;
};

DifferenceQuestion difference_question(const EstimateFlags& flags) {
  if (flags.before.empty() || flags.after.empty()) {
    throw bad_input("expected both --before and --after, such as --before 1..7 --after 8..14");
  }
  if (flags.format == Format::kCsv) throw bad_input("--format is csv; expected text or json");
  DifferenceQuestion question;
  question.before = or_bad_input(parse_period_span(flags.before, "--before"));
  question.after = or_bad_input(parse_period_span(flags.after, "--after"));
  question.inactive_after = flags.question.inactive_after;
  question.level = flags.question.level;
  question.values = flags.question.values;
  question.segment = flags.question.segment;
  return question;
}

std::string to_text(const Difference& found) {
  std::string text =
      fmt::format("before: {}; after: {}\ncounted: {}\n\n", in_words(found.before, {}),
                  in_words(found.after, {}), found.counted);
  for (const ChangeRow& row : found.rows) {
    text += (row.label.empty() ? "" : row.label + ": ") + in_words(row, found) + "\n";
  }
  if (found.rows.empty()) text += found.note + "\n";
  return text;
}

std::string to_text(const FoldedReports& folded, const Answer& answer) {
  const Plan& plan = folded.header.plan;
  const std::vector<AnswerRow>& rows = answer.rows;
  std::string text = fmt::format("{}: {}, {}, at most {} each, epsilon {} over the whole horizon\n",
                                 name_of(plan.protocol), counted(answer.devices, "device"),
                                 counted(plan.num_periods, "period"),
                                 counted(plan.max_changes, "change"), plan.epsilon.text());
  text += "counted: " + answer.counted + "\n";
  if (answer.cap_bias) text += "capped: " + cap_in_words(*answer.cap_bias) + "\n";
  if (folded.header.seeded) text += std::string(kSeededNote) + "\n";
  // A number is shown as its mean, in its unit.
  const auto shown = [&](double count, const AnswerRow& row) {
    if (!answer.scale) return count;
    return answer.scale->mean_of(count / static_cast<double>(row.devices));
  };
  const double width = answer.scale ? answer.scale->high - answer.scale->low : 1;
  std::vector<ChartPoint> points;
  for (const AnswerRow& row : rows) {
    points.push_back({std::numeric_limits<double>::quiet_NaN(), shown(row.estimate, row),
                      shown(row.band.lower, row), shown(row.band.upper, row)});
  }
  // Curves of several segments are not drawn over each other.
  if (answer.segments.empty()) text += "\n" + draw_chart(points, answer.level);
  text += "\n";
  if (answer.simultaneous) {
    text += fmt::format("the band holds the whole curve at once with {:g}% confidence\n\n",
                        100 * answer.level);
  }
  // Rows of several segments name theirs.
  const auto begin_row = [&](const auto& period, const std::string& segment) {
    text += fmt::format("{:>8}", period);
    if (!answer.segments.empty()) text += fmt::format(" {:>16}", segment);
  };
  begin_row("period", plan.segments.empty() ? "" : plan.segments.name());
  text += fmt::format(" {:>14} {:>12} {:>14} {:>14} {:>8}\n", answer.scale ? "mean" : "estimate",
                      "stddev", "lower", "upper", answer.scale ? "of range" : "share");
  // A long horizon is shown in steps; csv and json have every period.
  constexpr std::size_t kMostRows = 64;
  const std::size_t step = answer.segments.empty() ? (rows.size() + kMostRows - 1) / kMostRows : 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((i + 1) % step != 0 && i + 1 != rows.size()) continue;
    const AnswerRow& row = rows[i];
    if (!std::isfinite(row.estimate)) {
      begin_row(row.period, row.segment);
      text += fmt::format(" {:>14} {:>12} {:>14} {:>14} {:>8}\n", "-", "-", "-", "-", "-");
      continue;
    }
    const double stddev =
        answer.scale ? width * row.stddev / static_cast<double>(row.devices) : row.stddev;
    begin_row(row.period, row.segment);
    text += fmt::format(" {0:>14.{5}f} {1:>12.{5}f} {2:>14.{5}f} {3:>14.{5}f} {4:>7.1f}%\n",
                        shown(row.estimate, row), stddev, shown(row.band.lower, row),
                        shown(row.band.upper, row), 100 * row.share(), answer.scale ? 3 : 1);
  }
  if (step > 1) {
    text += fmt::format("\none row for every {} periods; --format csv or json has all {}\n", step,
                        rows.size());
  }
  for (const auto& [word, sentence] :
       {std::pair("note", answer.note), std::pair("warning", warning_of(answer)),
        std::pair("alarm", std::string(answer.alarm.text))}) {
    if (!sentence.empty()) text += fmt::format("\n{}: {}\n", word, sentence);
  }
  return text;
}

void run(const EstimateFlags& flags) {
  catch_interrupts();
  EstimateQuestion question = flags.question;
  question.influence = flags.format == Format::kJson;
  TextSink sink(flags.output);
  const FoldedReports folded = [&] {
    ProgressBar progress("estimate");
    return read_reports(flags.reports, {question.incomplete, !question.uncapped,
                                        [&](double s) { progress.show(s); }});
  }();
  if (!flags.before.empty() || !flags.after.empty()) {
    const Difference found = or_bad_input(folded.difference(difference_question(flags)));
    sink.write(flags.format == Format::kJson
                   ? to_json(found, {.seeded = folded.header.seeded}) + "\n"
                   : to_text(found));
    sink.commit();
    return;
  }
  const Answer answer = or_bad_input(folded.answer(question));
  switch (flags.format) {
    case Format::kCsv:
      sink.write(to_csv(answer, {}));
      break;
    case Format::kJson:
      sink.write(to_json(folded.header.plan, answer, {.seeded = folded.header.seeded}) + "\n");
      break;
    case Format::kText:
      sink.write(to_text(folded, answer));
      break;
  }
  sink.commit();
}

}  // namespace

void add_estimate(CLI::App& app) {
  const auto flags = std::make_shared<EstimateFlags>();
  CLI::App* command = app.add_subcommand("estimate", "Estimate counts from the lines of devices");
  command->add_option("--reports", flags->reports, "file of lines; default: standard input")
      ->type_name("FILE");
  command
      ->add_option("--before", flags->before,
                   "compare the mean over these periods with that over --after")
      ->type_name("FROM..TO");
  command->add_option("--after", flags->after, "see --before")->type_name("FROM..TO");
  add_flags(*command, estimate_options(flags->question));
  command->add_option("--output", flags->output, "output file; default: standard output")
      ->type_name("FILE");
  add_format(*command, flags->format, true);
  command->footer(
      "Example: futurerand randomize --values values.csv --periods 36 --changes 3 | "
      "futurerand estimate --format csv");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
