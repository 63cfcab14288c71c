// This is the device side over a file: every user of a values file gets a device of its own, and
// only what that device would send comes out.
#include "futurerand/study/randomize.hpp"

#include <memory>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "apps/cli/flags.hpp"
#include "apps/cli/long_work.hpp"
#include "apps/cli/read_values.hpp"
#include "apps/cli/simulation_flags.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/commands/commands.hpp"

namespace futurerand::apps {
namespace {

struct RandomizeFlags {
  PlanFlags plan;
  std::string values;
  std::optional<std::uint64_t> users;
  std::optional<std::uint64_t> seed;
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
  const CertifiedPlan plan = or_bad_input(CertifiedPlan::create(flags.plan.plan()));
  const std::vector<UserValues> users = read_values(flags.values, flags.plan.periods);
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
  CLI::App* command = app.add_subcommand(
      "randomize", "The device side over a file: values in, the lines that devices send out");
  flags->plan.add_to(*command, true);
  command
      ->add_option("--values", flags->values,
                   "CSV with the header user,period,value: from that period on the user holds "
                   "that value, 0 before")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--users", flags->users,
                   "how many users there are; those that the file does not name hold 0")
      ->check(in_range(kUsersRange))
      ->type_name("N");
  command
      ->add_option("--seed", flags->seed,
                   "makes the lines reproducible, hence not private; they say so")
      ->type_name("S");
  command->add_option("--output", flags->output, "a file instead of standard output")
      ->type_name("FILE");
  command->footer(
      "Example: futurerand randomize --values values.csv --periods 36 --changes 3 --epsilon 1 "
      "--output reports.jsonl");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
