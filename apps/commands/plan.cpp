#include <memory>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "apps/cli/flags.hpp"
#include "apps/cli/long_work.hpp"
#include "apps/cli/read_values.hpp"
#include "apps/commands/commands.hpp"
#include "apps/report/plan_table.hpp"
#include "futurerand/study/plan_document.hpp"

namespace futurerand::apps {
namespace {

struct PlanFlags {
  PlanQuestion question;
  std::string values;  // a file of users; empty: none
  Format format = Format::kText;
};

void run(const PlanFlags& flags) {
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
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", plan_document(question, rows, over, values, seasons));
  } else if (values) {
    print_value_plan(question, *values);
  } else {
    print_plan_table(question, rows, flags.values, over);
  }
}

}  // namespace

void add_plan(CLI::App& app) {
  const auto flags = std::make_shared<PlanFlags>();
  CLI::App* command =
      app.add_subcommand("plan", "Predicted error of every protocol, and the recommended one");
  add_flags(*command, plan_options(flags->question));
  command
      ->add_option("--values", flags->values,
                   "a CSV file of users, as for simulate: print how many change more often than "
                   "--changes, and by how much that biases each protocol")
      ->type_name("FILE");
  add_format(*command, flags->format);
  command->footer(
      "Example: futurerand plan --users 1000000 --periods 1024 --changes 4 --epsilon 1 "
      "--target-error 0.01");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
