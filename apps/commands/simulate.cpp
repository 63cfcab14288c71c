#include <chrono>
#include <cmath>
#include <memory>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/simulation_flags.hpp"
#include "apps/cli/words.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/run_comparison.hpp"
#include "apps/report/chart.hpp"
#include "apps/report/drowned.hpp"
#include "apps/report/simulation_report.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {
namespace {

struct SimulateFlags {
  SimulationFlags simulation;
  std::string protocol = "hybrid";
  Sweep sweep;
  std::string html;
  Format format = Format::kText;
};

void print_csv(const SimulationResult& result) {
  fmt::print("period,truth,estimate,stddev,lower,upper,bias,bias_z\n");
  for (const SimulatedPeriod& at : result.periods) {
    fmt::print("{},{}", at.period, at.truth);
    for (const double value :
         {at.estimate, at.stddev, at.band.lower, at.band.upper, at.bias, at.bias_z}) {
      fmt::print(",{}", std::isfinite(value) ? fmt::format("{}", value) : "");
    }
    fmt::print("\n");
  }
}

void print_text(const SimulateFlags& flags, std::uint64_t num_users, const TimedResult& timed) {
  const SimulationResult& result = timed.result;
  const double level = flags.simulation.estimator.level;
  fmt::print("{}: {}\n\n", result.traits.name, describe(flags.simulation, num_users));
  fmt::print("{}\n", draw_chart(result, level));
  fmt::print("rmse            {:>12} users, over all periods and trials\n",
             with_commas(result.rmse));
  if (result.predicted_rmse) {
    fmt::print("predicted rmse  {:>12} users\n", with_commas(*result.predicted_rmse));
  }
  if (result.clipping_bias.value_or(0) > 0) {
    fmt::print("clipping bias   {:>12} users, apart from what is predicted\n",
               with_commas(*result.clipping_bias));
  }
  fmt::print("largest error   {:>12} users, mean over trials\n", with_commas(result.max_error));
  fmt::print("band coverage   {:>11.1f}% of periods inside their {:g}% band\n",
             100 * result.band_coverage, 100 * level);
  fmt::print("bits per user   {:>12.1f} over the whole horizon\n", result.traits.bits_per_user);
  if (result.clipped_users > 0) {
    fmt::print("clipped users   {:>12} had changes past {}, which stay hidden and bias the count\n",
               with_commas(result.clipped_users), flags.simulation.plan.changes);
  }
  fmt::print("guarantee       {}{}\n", name_of(result.traits.guarantee),
             result.traits.online ? "" : "; answers only after the last period");
  if (!result.traits.note.empty()) fmt::print("note            {}\n", result.traits.note);
  fmt::print("seconds         {:>12.2f}\n", timed.seconds);
  const std::string warning = drowned(num_users, typical_band(result), level);
  if (!warning.empty()) fmt::print("warning         {}\n", warning);
}

void run(const SimulateFlags& flags) {
  if (flags.sweep.asked()) {
    return run_sweep(flags.simulation, flags.sweep, {flags.protocol}, flags.format, flags.html);
  }
  if (!flags.html.empty()) throw bad_input("--html: expected --sweep with it; compare has a page");
  const auto start = std::chrono::steady_clock::now();
  const SimulationKey key = flags.simulation.key();
  const Population population = flags.simulation.make_population(key);
  const std::uint64_t num_users = population.num_users();
  const auto protocol = or_bad_input(
      make_simulated_protocol(flags.protocol, flags.simulation.protocol_settings(num_users)));
  SimulationSettings settings = flags.simulation.settings(key);
  const TimedResult timed = [&] {
    Progress progress("simulate " + flags.protocol);
    // Counting the population is one more pass over it.
    const double passes = static_cast<double>(settings.trials) + 1;
    settings.progress = [&](double share) { progress.show(share / passes); };
    const std::vector<std::uint64_t> truth = count_or_stop(population, settings);
    settings.progress = [&](double share) {
      progress.show((1 + share * static_cast<double>(settings.trials)) / passes);
    };
    SimulationResult result = simulate_or_fail(*protocol, population, truth, settings);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return TimedResult{std::move(result), seconds.count()};
  }();
  switch (flags.format) {
    case Format::kJson:
      return fmt::print("{}\n", to_json(flags.simulation, num_users, timed).dump(2));
    case Format::kCsv:
      return print_csv(timed.result);
    case Format::kText:
      return print_text(flags, num_users, timed);
  }
}

}  // namespace

void add_simulate(CLI::App& app) {
  const auto flags = std::make_shared<SimulateFlags>();
  CLI::App* command = app.add_subcommand(
      "simulate", "Runs real devices and the real estimator over a population, and measures");
  command->add_option("--protocol", flags->protocol, "one of " + join(simulated_protocol_names()))
      ->capture_default_str()
      ->type_name("NAME");
  flags->simulation.add_to(*command);
  flags->sweep.add_to(*command);
  command->add_option("--html", flags->html, "with --sweep: write one page with a chart")
      ->type_name("FILE");
  add_format(*command, flags->format, true);
  command->footer(
      "Example: futurerand simulate --protocol hybrid --users 100000 --periods 256 --changes 4 "
      "--population adoption --trials 10 --seed 1");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
