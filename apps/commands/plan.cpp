#include <memory>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "apps/cli/constant_flags.hpp"
#include "apps/cli/long_work.hpp"
#include "apps/cli/read_values.hpp"
#include "apps/commands/commands.hpp"
#include "apps/report/plan_table.hpp"
#include "futurerand/study/plan_document.hpp"

namespace futurerand::apps {
namespace {

void run(const PlanCommandFlags& flags) {
  const PlanQuestion question = flags.question();
  std::optional<OverChanges> over;
  if (!flags.values.empty()) {
    const std::vector<UserValues> panel = read_values(flags.values, flags.plan.periods);
    ProgressBar progress("bias of " + flags.values);
    over = or_end(find_over_changes(panel, question, progress_of(progress)));
    if (over->users == 0) over.reset();
  }
  const std::vector<PlanRow> rows = [&] {
    ProgressBar progress("plan");
    return or_end(make_plan_rows(question, progress_of(progress)));
  }();
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", plan_document(question, rows, over));
  } else {
    print_plan_table(flags, rows, over);
  }
}

}  // namespace

void add_plan(CLI::App& app) {
  const auto flags = std::make_shared<PlanCommandFlags>();
  CLI::App* command =
      app.add_subcommand("plan", "Predicted error of every protocol, and the recommended one");
  command->add_option("--users", flags->users, "how many users take part")
      ->check(in_range(kUsersRange))
      ->capture_default_str()
      ->type_name("N");
  flags->plan.add_to(*command, false);
  command
      ->add_option("--target-error", flags->target_error,
                   "print the users needed for an rmse of this share of them, such as 0.01")
      ->check(in_range(kTargetErrorRange))
      ->check(is_number)
      ->type_name("SHARE");
  command
      ->add_option_function<std::string>(
          "--estimator",
          [flags](const std::string& name) { flags->estimator = EstimatorFlags{name}.kind(); },
          "whose error is predicted, and decides what is recommended")
      ->type_name("online|hindsight|trend")
      ->default_str("online");
  command
      ->add_option("--drift", flags->drift,
                   "for --estimator trend: by how much the share of users moves in a period")
      ->check(in_range(kDriftRange))
      ->check(is_number)
      ->capture_default_str()
      ->type_name("SHARE");
  command
      ->add_option("--liars", flags->liars,
                   "print how far this share of the devices can move the count by lying")
      ->check(in_range(kLiarsRange))
      ->check(is_number)
      ->type_name("SHARE");
  command
      ->add_option("--values", flags->values,
                   "a CSV file of users, as for simulate: print how many change more often than "
                   "--changes, and by how much that biases each protocol")
      ->type_name("FILE");
  add_delta(*command, flags->delta);
  add_format(*command, flags->format);
  add_constant_flags(*command, flags->constants);
  command->footer(
      "Example: futurerand plan --users 1000000 --periods 1024 --changes 4 --epsilon 1 "
      "--target-error 0.01");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
