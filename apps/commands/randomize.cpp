// The device side over a file: every user of a values file gets a device, and the output is exactly
// what these devices send.
#include "futurerand/study/randomize.hpp"

#include <memory>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "apps/cli/flags.hpp"
#include "apps/cli/long_work.hpp"
#include "apps/cli/read_values.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/commands/commands.hpp"

namespace futurerand::apps {
namespace {

struct RandomizeFlags : RandomizeQuestion {
  std::string values;
  std::string output;
};

std::uint64_t number_of_users(const RandomizeFlags& flags, std::size_t in_file) {
  if (!flags.users) {
    if (in_file == 0) throw bad_input(flags.values + ": no users; expected a row, or --users");
    return in_file;
  }
  if (*flags.users >= in_file) return *flags.users;
  throw bad_input(fmt::format("--users {} is fewer than the {} users of {}; expected at least {}",
                              *flags.users, in_file, flags.values, in_file));
}

void run(const RandomizeFlags& flags) {
  catch_interrupts();
  const CertifiedPlan plan = or_bad_input(CertifiedPlan::create(or_bad_input(chosen_plan(flags))));
  const std::vector<UserValues> users =
      read_values(flags.values, flags.periods, plan.plan().coding);
  const std::uint64_t num_users = number_of_users(flags, users.size());
  if (flags.seed) fmt::print(stderr, "futurerand: {}\n", kSeededNote);

  TextSink sink(flags.output);
  ProgressBar progress("randomize");
  end_unless(randomize(
      plan, users, num_users, flags.seed, [&](std::string_view lines) { sink.write(lines); },
      progress_of(progress)));
  sink.commit();
}

}  // namespace

void add_randomize(CLI::App& app) {
  const auto flags = std::make_shared<RandomizeFlags>();
  CLI::App* command =
      app.add_subcommand("randomize", "Run the devices of a values file, and write their lines");
  add_flags(*command, randomize_options(*flags));
  command
      ->add_option(
          "--values", flags->values,
          "CSV file with the header user,period,value: the value from this period on; 0 before")
      ->required()
      ->type_name("FILE");
  command->add_option("--output", flags->output, "output file; default: standard output")
      ->type_name("FILE");
  command->footer(
      "Example: futurerand randomize --values values.csv --periods 36 --changes 3 --epsilon 1 "
      "--output reports.jsonl");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
