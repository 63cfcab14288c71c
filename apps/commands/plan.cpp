#include <memory>
#include <vector>

#include <fmt/core.h>

#include "apps/cli/constant_flags.hpp"
#include "apps/cli/progress.hpp"
#include "apps/commands/commands.hpp"
#include "apps/report/plan_document.hpp"
#include "apps/report/plan_table.hpp"

namespace futurerand::apps {
namespace {

void run(const PlanCommandFlags& flags) {
  const std::vector<PlanRow> rows = [&] {
    Progress progress("plan");
    return make_rows(flags, [&](double share) { progress.show(share); });
  }();
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", plan_document(flags, rows));
  } else {
    print_plan_table(flags, rows);
  }
}

}  // namespace

void add_plan(CLI::App& app) {
  const auto flags = std::make_shared<PlanCommandFlags>();
  CLI::App* command =
      app.add_subcommand("plan", "Predicted error of every protocol, and the recommended one");
  command->add_option("--users", flags->users, "how many users take part")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str()
      ->type_name("N");
  flags->plan.add_to(*command, false);
  command
      ->add_option("--target-error", flags->target_error,
                   "print the users needed for an rmse of this share of them, such as 0.01")
      ->check(CLI::Range(1e-6, 1.0))
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
      ->check(CLI::Range(1e-9, 1.0))
      ->check(is_number)
      ->capture_default_str()
      ->type_name("SHARE");
  command
      ->add_option("--liars", flags->liars,
                   "print how far this share of the devices can move the count by lying")
      ->check(CLI::Range(0.0, 1.0))
      ->check(is_number)
      ->type_name("SHARE");
  command
      ->add_option("--values", flags->values,
                   "a CSV file of users, as for simulate: print how many change more often than "
                   "--changes")
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
