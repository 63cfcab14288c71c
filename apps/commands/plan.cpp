#include <memory>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "apps/cli/flags.hpp"
#include "apps/cli/input_file.hpp"
#include "apps/cli/long_work.hpp"
#include "apps/cli/read_values.hpp"
#include "apps/commands/commands.hpp"
#include "apps/report/plan_table.hpp"
#include "futurerand/study/plan_document.hpp"

namespace futurerand::apps {
namespace {

struct PlanFlags {
  PlanQuestion question;
  std::string values;        // a file of users; empty: none
  std::string metrics;       // a file of metrics under one budget; empty: none
  bool names_delta = false;  // --delta was given
  Format format = Format::kText;
};

void run_group(const PlanFlags& flags) {
  if (flags.question.window || !flags.values.empty() || flags.question.target_error) {
    throw bad_input(
        "--metrics compares two ways to share a budget; expected no --window, --values or "
        "--target-error");
  }
  const Result<GroupQuestion> question =
      read_group_question(read_file(flags.metrics), flags.question);
  if (!question) throw bad_input(flags.metrics + ": " + question.error().message);
  const GroupPlan plan = or_bad_input(make_group_plan(*question));
  if (flags.format == Format::kText) return print_group_plan(*question, plan);
  fmt::print("{}\n", group_plan_document(*question, plan));
}

void run(const PlanFlags& flags) {
  if (!flags.metrics.empty()) return run_group(flags);
  const PlanQuestion& question = flags.question;
  std::optional<SeasonPlan> seasons;
  if (question.window) {
    ProgressBar progress("plan of seasons");
    seasons = or_end(make_season_plan(question, progress_of(progress)));
    if (flags.format == Format::kText) return print_season_plan(question, *seasons);
  }
  const bool has_rows = or_end(question.coding()).has_rows();
  if (has_rows && !flags.values.empty()) {
    throw bad_input("--values is for yes/no values; expected none for labels and buckets");
  }
  std::optional<OverChanges> over;
  if (!flags.values.empty()) {
    const std::vector<UserValues> panel = read_values(flags.values, question.periods);
    if (panel.empty()) throw bad_input(flags.values + ": no users; expected a row");
    ProgressBar progress("bias of " + flags.values);
    over = or_end(find_over_changes(panel, question, progress_of(progress)));
    if (over->users == 0) over.reset();
  }
  const std::vector<PlanRow> rows = [&] {
    ProgressBar progress("plan");
    return or_end(make_plan_rows(question, progress_of(progress)));
  }();
  std::optional<ValuePlan> values;
  if (has_rows) {
    ProgressBar progress("plan of values");
    values = or_end(make_value_plan(question, question.users, progress_of(progress)));
  }
  std::optional<SegmentPlan> segments;
  const PlanRow* best = question.segments.empty() ? nullptr : recommended(question, rows);
  if (best != nullptr) segments = or_end(make_segment_plan(question, *best));
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", plan_document(question, rows, over, values, seasons, segments));
    return;
  }
  if (values) {
    print_value_plan(question, *values);
  } else {
    print_plan_table(question, rows, flags.values, over, flags.names_delta);
  }
  if (segments) print_segment_plan(question, *segments, best->name);
}

}  // namespace

void add_plan(CLI::App& app) {
  const auto flags = std::make_shared<PlanFlags>();
  CLI::App* command =
      app.add_subcommand("plan", "Predict the error of every protocol, and recommend one");
  add_flags(*command, plan_options(flags->question));
  command
      ->add_option("--values", flags->values,
                   "a CSV file of users, as for simulate: print the number of users with more than "
                   "--changes changes, and the resulting bias of each protocol")
      ->type_name("FILE");
  command
      ->add_option("--metrics", flags->metrics,
                   "a JSON file of metrics under one budget: compare splitting --epsilon between "
                   "them with splitting the devices. Each has a name, and may have periods, "
                   "changes, initial, value and weight, as in {\"name\":\"settings\","
                   "\"metrics\":[{\"name\":\"sync\"},{\"name\":\"beta\",\"weight\":2}]}")
      ->type_name("FILE");
  add_format(*command, flags->format);
  command->footer(
      "Example: futurerand plan --users 1000000 --periods 1024 --changes 4 --epsilon 1 "
      "--target-error 0.01\n"
      "Example: futurerand plan --users 100000 --changes 2 --epsilon 4 --metrics metrics.json");
  const CLI::Option* delta = command->get_option("--delta");
  command->callback([flags, delta] {
    flags->names_delta = delta->count() > 0;
    run(*flags);
  });
}

}  // namespace futurerand::apps
