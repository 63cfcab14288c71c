#include "apps/cli/simulation_flags.hpp"

#include <algorithm>
#include <thread>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/read_values.hpp"
#include "futurerand/entropy/system_entropy.hpp"

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
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
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
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32))
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
      ->check(CLI::Range(1U, 1024U))
      ->type_name("N");
  command
      .add_option("--seed", seed,
                  "makes the run reproducible, whatever the number of threads; without it devices "
                  "use the system's entropy")
      ->type_name("S");
  add_constant_flags(command, constants);
}

SimulationKey SimulationFlags::key() const {
  if (seed) return SimulationKey::from_seed(*seed);
  SimulationKey key;
  if (!SystemEntropy().fill(key.words)) throw failed("the system's entropy cannot be read");
  return key;
}

Population SimulationFlags::make_population(const SimulationKey& key) const {
  PopulationShape shape{users.value_or(100'000), plan.periods, plan.changes};
  if (values.empty()) return or_bad_input(Population::named(population, shape, key));
  const std::vector<UserValues> panel = read_values(values, plan.periods);
  if (panel.empty() && !users) {
    throw bad_input(values + ": there are no users; expected rows, or --users");
  }
  shape.num_users = users.value_or(panel.size());
  return or_bad_input(Population::from_panel(panel, shape, key));
}

ProtocolSettings SimulationFlags::protocol_settings(std::uint64_t num_users) const {
  return {num_users, plan.periods, plan.changes, plan.budget(), estimator.kind(), constants};
}

SimulationSettings SimulationFlags::settings(const SimulationKey& key) const {
  SimulationSettings settings;
  settings.key = key;
  settings.trials = trials;
  settings.engine = engine == "sums" ? Engine::kSums : Engine::kUsers;
  settings.level = estimator.level;
  settings.threads = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  settings.cancel = &catch_interrupts();
  if (!seed) settings.entropy = [] { return std::make_unique<SystemEntropy>(); };
  return settings;
}

std::vector<std::uint64_t> count_or_stop(const Population& population,
                                         const SimulationSettings& settings, Estimand estimand,
                                         Period gone_after) {
  const Workers workers(settings.threads, settings.cancel, settings.progress);
  std::vector<std::uint64_t> counts =
      settings.lives == nullptr
          ? true_counts(population, workers)
          : lived_counts(population, *settings.lives, estimand, gone_after, workers);
  stop_if_interrupted();
  return counts;
}

SimulationResult simulate_or_fail(const SimulatedProtocol& protocol, const Population& population,
                                  const std::vector<std::uint64_t>& truth,
                                  const SimulationSettings& settings) {
  Result<SimulationResult> result = simulate(protocol, population, truth, settings);
  stop_if_interrupted();
  if (!result) throw failed(result.error().message);
  return *std::move(result);
}

}  // namespace futurerand::apps
