#include "apps/cli/simulation_flags.hpp"

#include <fmt/core.h>

#include "apps/cli/read_values.hpp"

namespace futurerand::apps {

std::string described_populations() {
  std::string text = "who is simulated";
  for (const std::string_view name : population_names()) {
    text += fmt::format(";\n{}: {}", name, population_meaning(name));
  }
  return text;
}

void SimulationFlags::add_to(CLI::App& command) {
  command
      .add_option("--users", users,
                  "how many users take part; 100000, or as many as --values has, if not given")
      ->check(in_range(kUsersRange))
      ->type_name("N");
  plan.add_to(command, false);
  CLI::Option* built_in = command.add_option("--population", population, described_populations())
                              ->capture_default_str()
                              ->type_name("NAME");
  command
      .add_option("--values", values,
                  "users from a CSV file with the header user,period,value; drawn with replacement "
                  "if --users asks for more")
      ->excludes(built_in)
      ->type_name("FILE");
  estimator.add_to(command);
  command.add_option("--trials", trials, "how often the protocol is run over the population")
      ->check(in_range(kTrialsRange))
      ->capture_default_str()
      ->type_name("T");
  command
      .add_option("--engine", engine,
                  "users: every device makes every report; sums: the same distribution, drawn for "
                  "all users at once")
      ->check(CLI::IsMember({"users", "sums"}))
      ->capture_default_str()
      ->type_name("users|sums");
  command.add_option("--threads", threads, "as many as there are cores if not given")
      ->check(in_range(kThreadsRange))
      ->type_name("N");
  command
      .add_option("--seed", seed,
                  "makes the run reproducible, whatever the number of threads; without it devices "
                  "use the system's entropy")
      ->type_name("S");
  add_constant_flags(command, constants);
}

SimulationQuestion SimulationFlags::question() const {
  SimulationQuestion question{.users = users,
                              .periods = plan.periods,
                              .changes = plan.changes,
                              .epsilon = plan.budget(),
                              .population = population,
                              .estimator = estimator.kind(),
                              .level = estimator.level,
                              .constants = constants,
                              .trials = trials,
                              .engine = engine == "sums" ? Engine::kSums : Engine::kUsers,
                              .threads = threads,
                              .seed = seed};
  if (!values.empty()) {
    question.panel = read_values(values, plan.periods);
    question.panel_name = values;
  }
  return question;
}

}  // namespace futurerand::apps
