#include <chrono>
#include <cmath>
#include <memory>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/life_flags.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/simulation_flags.hpp"
#include "apps/cli/words.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/run_comparison.hpp"
#include "apps/report/chart.hpp"
#include "apps/report/drowned.hpp"
#include "apps/report/simulation_report.hpp"
#include "futurerand/estimator/influence.hpp"
#include "futurerand/estimator/self_check.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {
namespace {

struct SimulateFlags {
  SimulationFlags simulation;
  std::string protocol = "hybrid";
  Sweep sweep;
  LifeFlags life;
  std::string html;
  Format format = Format::kText;
};

// How devices live, and whom the figures count. Without lives everyone takes part throughout.
struct Counted {
  std::optional<Lives> lives;
  Estimand estimand = Estimand::kEnrolled;

  std::string in_words(const SimulateFlags& flags) const {
    return counted_in_words(estimand, flags.simulation.estimator.kind(),
                            flags.life.estimand.gone_after);
  }
};

Counted counted_by(const SimulateFlags& flags, const SimulationKey& key) {
  Counted counted{flags.life.lives(flags.simulation.plan.periods, key)};
  const std::optional<Protocol> protocol = protocol_named(flags.protocol);
  if (!counted.lives) {
    if (flags.life.estimand.estimand == "active" && !protocol) {
      throw bad_input("--estimand active: expected protocol innovation");
    }
    return counted;
  }
  if (!protocol) {
    throw bad_input("--protocol " + flags.protocol +
                    ": its devices all take part throughout; expected a protocol with a plan, or "
                    "no --joining, --dropout and --offline");
  }
  if (flags.simulation.engine == "sums") {
    throw bad_input("--engine sums: expected users, since devices come and go one by one");
  }
  PlanFlags plan = flags.simulation.plan;
  plan.protocol = flags.protocol;
  counted.estimand = flags.life.estimand.chosen(plan.plan());
  return counted;
}

double root_mean_square_bias(const SimulationResult& result) {
  double sum = 0;
  for (const SimulatedPeriod& at : result.periods) sum += at.bias * at.bias;
  return std::sqrt(sum / static_cast<double>(result.periods.size()));
}

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

// How far the liars moved the period that they moved the most, beside the bound for it.
struct Moved {
  std::uint64_t liars = 0;
  Period period = 0;
  double each = 0;
  double most = 0;
};

Moved moved_by_liars(const SimulateFlags& flags, const Counted& counted, std::uint64_t num_users,
                     const SimulationResult& result) {
  Moved moved{counted.lives->num_liars(num_users)};
  PlanFlags plan = flags.simulation.plan;
  plan.protocol = flags.protocol;
  const Influence influence = influence_of_one(plan.plan(), num_users);
  const double sign = flags.life.attack == "minus" ? -1 : 1;
  for (const SimulatedPeriod& at : result.periods) {
    const double each = sign * at.bias / static_cast<double>(moved.liars);
    if (each > moved.each) moved = {moved.liars, at.period, each, influence.most[at.period - 1]};
  }
  return moved;
}

void print_text(const SimulateFlags& flags, const Counted& counted, std::uint64_t num_users,
                const TimedResult& timed) {
  const SimulationResult& result = timed.result;
  const double level = flags.simulation.estimator.level;
  fmt::print("{}: {}\n\n", result.traits.name, describe(flags.simulation, num_users));
  if (counted.lives) {
    fmt::print("{}\ncounted: {}\n\n", flags.life.describe(), counted.in_words(flags));
  }
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
  if (counted.lives && counted.lives->num_liars(num_users) > 0) {
    const Moved moved = moved_by_liars(flags, counted, num_users, result);
    fmt::print(
        "moved           {:>12.2f} devices by each of {} liars at period {}; at most {:.2f}\n",
        moved.each, with_commas(static_cast<double>(moved.liars)), moved.period, moved.most);
  }
  if (result.alarms > 0) {
    fmt::print("alarms          {:>12} of {} trials: {}\n", result.alarms, result.trials,
               kAlarmText);
  }
  fmt::print("bits per user   {:>12.1f} over the whole horizon\n", result.traits.bits_per_user);
  if (result.clipped_users > 0) {
    fmt::print("clipped users   {:>12} had changes past {}, {:.2g}% of all: they bias the count\n",
               with_commas(result.clipped_users), flags.simulation.plan.changes,
               100 * result.clipped_users / static_cast<double>(num_users));
    fmt::print("bias            {:>12} users, root mean square over periods\n",
               with_commas(root_mean_square_bias(result)));
  }
  fmt::print("guarantee       {}{}\n", name_of(result.traits.guarantee),
             result.traits.online ? "" : "; answers only after the last period");
  if (!result.traits.note.empty()) fmt::print("note            {}\n", result.traits.note);
  fmt::print("seconds         {:>12.2f}\n", timed.seconds);
  const std::string warning = drowned(num_users, typical_band(result), level);
  if (!warning.empty()) fmt::print("warning         {}\n", warning);
}

void print_json(const SimulateFlags& flags, const Counted& counted, std::uint64_t num_users,
                const TimedResult& timed) {
  nlohmann::ordered_json json = to_json(flags.simulation, num_users, timed);
  if (counted.lives) {
    json["lives"] = flags.life.describe();
    json["estimand"] = name_of(counted.estimand);
    json["counted"] = counted.in_words(flags);
    if (counted.lives->num_liars(num_users) > 0) {
      const Moved moved = moved_by_liars(flags, counted, num_users, timed.result);
      json["moved"] = {{"liars", moved.liars},
                       {"period", moved.period},
                       {"each", moved.each},
                       {"at_most", moved.most}};
    }
  }
  fmt::print("{}\n", json.dump(2));
}

void run(const SimulateFlags& flags) {
  if (flags.sweep.asked()) {
    if (flags.life.lives(1, {})) {
      throw bad_input("--sweep: expected no --joining, --dropout and --offline with it");
    }
    return run_sweep(flags.simulation, flags.sweep, {flags.protocol}, flags.format, flags.html);
  }
  if (!flags.html.empty()) throw bad_input("--html: expected --sweep with it; compare has a page");
  const auto start = std::chrono::steady_clock::now();
  const SimulationKey key = flags.simulation.key();
  const Population population = flags.simulation.make_population(key);
  const std::uint64_t num_users = population.num_users();
  const Counted counted = counted_by(flags, key);
  ProtocolSettings protocol_settings = flags.simulation.protocol_settings(num_users);
  protocol_settings.estimand = counted.estimand;
  protocol_settings.gone_after = flags.life.estimand.gone_after;
  const auto protocol = or_bad_input(make_simulated_protocol(flags.protocol, protocol_settings));
  SimulationSettings settings = flags.simulation.settings(key);
  if (counted.lives) settings.lives = &*counted.lives;
  const TimedResult timed = [&] {
    Progress progress("simulate " + flags.protocol);
    // Counting the population is one more pass over it.
    const double passes = static_cast<double>(settings.trials) + 1;
    settings.progress = [&](double share) { progress.show(share / passes); };
    const std::vector<std::uint64_t> truth =
        count_or_stop(population, settings, counted.estimand, protocol_settings.gone_after);
    settings.progress = [&](double share) {
      progress.show((1 + share * static_cast<double>(settings.trials)) / passes);
    };
    SimulationResult result = simulate_or_fail(*protocol, population, truth, settings);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return TimedResult{std::move(result), seconds.count()};
  }();
  switch (flags.format) {
    case Format::kJson:
      return print_json(flags, counted, num_users, timed);
    case Format::kCsv:
      return print_csv(timed.result);
    case Format::kText:
      return print_text(flags, counted, num_users, timed);
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
  flags->life.add_to(*command);
  command->add_option("--html", flags->html, "with --sweep: write one page with a chart")
      ->type_name("FILE");
  add_format(*command, flags->format, true);
  command->footer(
      "Example: futurerand simulate --protocol hybrid --users 100000 --periods 256 --changes 4 "
      "--population adoption --trials 10 --seed 1");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
