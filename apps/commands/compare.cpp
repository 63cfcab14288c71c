#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/output_file.hpp"
#include "apps/cli/progress.hpp"
#include "apps/commands/commands.hpp"
#include "apps/report/chart.hpp"
#include "apps/report/comparison.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

struct CompareFlags {
  SimulationFlags simulation;
  std::vector<std::string> protocols;  // none: all
  std::string html;
  Format format = Format::kText;
};

double root_mean(const std::vector<double>& variances) {
  double sum = 0;
  for (const double variance : variances) sum += variance;
  return std::sqrt(sum / static_cast<double>(variances.size()));
}

// What the closed forms say for other k: powers of two, and the k of this run. A k that a protocol
// cannot serve is left out.
ErrorAgainstChanges against_changes(const std::string& name, ProtocolSettings settings) {
  std::set<std::uint32_t> all = {settings.max_changes};
  for (std::uint32_t k = 1; k <= std::max(64U, settings.max_changes); k *= 2) all.insert(k);
  ErrorAgainstChanges curve{name, {}, {}};
  for (const std::uint32_t changes : all) {
    settings.max_changes = changes;
    const auto protocol = make_simulated_protocol(name, settings);
    if (!protocol) continue;
    const auto variances = (*protocol)->predicted_variances();
    if (!variances) break;
    curve.changes.push_back(changes);
    curve.rmse.push_back(root_mean(*variances));
  }
  return curve;
}

Comparison compare(const CompareFlags& flags) {
  const SimulationFlags& simulation = flags.simulation;
  const SimulationKey key = simulation.key();
  const Population population = simulation.make_population(key);
  const ProtocolSettings protocol_settings = simulation.protocol_settings(population.num_users());
  Comparison comparison{simulation, population.num_users(), {}, {}, {}};

  std::vector<std::unique_ptr<SimulatedProtocol>> protocols;
  if (flags.protocols.empty()) {
    for (const std::string_view name : simulated_protocol_names()) {
      auto protocol = make_simulated_protocol(name, protocol_settings);
      if (protocol) {
        protocols.push_back(*std::move(protocol));
      } else {
        comparison.unavailable.push_back({std::string(name), protocol.error().message});
      }
    }
  } else {
    for (const std::string& name : flags.protocols) {
      protocols.push_back(or_bad_input(make_simulated_protocol(name, protocol_settings)));
    }
  }

  SimulationSettings settings = simulation.settings(key);
  Progress progress("compare");
  const std::vector<std::uint64_t> truth =
      true_counts(population, Workers(settings.threads, settings.cancel));
  for (std::size_t i = 0; i < protocols.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    settings.progress = [&](double share) {
      progress.show((static_cast<double>(i) + share) / static_cast<double>(protocols.size()));
    };
    SimulationResult result = simulate_or_fail(*protocols[i], population, truth, settings);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    comparison.results.push_back({std::move(result), seconds.count()});
  }
  // Never as equals: what is private over the whole sequence comes first, whatever its error.
  std::stable_sort(comparison.results.begin(), comparison.results.end(),
                   [](const TimedResult& a, const TimedResult& b) {
                     const auto rank = [](const TimedResult& timed) {
                       return std::pair(timed.result.traits.guarantee, timed.result.rmse);
                     };
                     return rank(a) < rank(b);
                   });
  if (!flags.html.empty()) {
    for (const TimedResult& timed : comparison.results) {
      comparison.against_changes.push_back(
          against_changes(timed.result.traits.name, protocol_settings));
    }
  }
  return comparison;
}

Json to_json(const Comparison& comparison) {
  Json json = {{"results", Json::array()}, {"unavailable", Json::array()}};
  for (const TimedResult& timed : comparison.results) {
    json["results"].push_back(to_json(comparison.flags, comparison.num_users, timed));
  }
  for (const Unavailable& missing : comparison.unavailable) {
    json["unavailable"].push_back({{"protocol", missing.protocol}, {"reason", missing.reason}});
  }
  return json;
}

void print_csv(const Comparison& comparison) {
  fmt::print(
      "protocol,users,periods,max_changes,epsilon,trials,rmse,max_error,predicted_rmse,"
      "band_coverage,bits_per_user,first_answer,guarantee,seconds,online,clipping_bias\n");
  for (const TimedResult& timed : comparison.results) {
    const SimulationResult& result = timed.result;
    fmt::print("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", result.traits.name,
               comparison.num_users, comparison.flags.plan.periods, comparison.flags.plan.changes,
               comparison.flags.plan.budget().text(), result.trials, result.rmse, result.max_error,
               result.predicted_rmse ? fmt::format("{}", *result.predicted_rmse) : "",
               result.band_coverage, result.traits.bits_per_user, result.traits.first_answer,
               name_of(result.traits.guarantee), timed.seconds, result.traits.online,
               result.clipping_bias ? fmt::format("{}", *result.clipping_bias) : "");
  }
}

void print_text(const Comparison& comparison) {
  const double level = comparison.flags.estimator.level;
  fmt::print("{}\n\n", describe(comparison.flags, comparison.num_users));
  fmt::print("{:<13} {:>11} {:>11} {:>13} {:>8} {:>9} {:>12} {:>8}  {}\n", "protocol", "rmse",
             "predicted", "largest error", "in band", "bits/user", "first answer", "seconds",
             "guarantee");
  for (const TimedResult& timed : comparison.results) {
    const SimulationResult& result = timed.result;
    fmt::print(
        "{:<13} {:>11} {:>11} {:>13} {:>7.1f}% {:>9.1f} {:>12} {:>8.2f}  {}\n", result.traits.name,
        with_commas(result.rmse), result.predicted_rmse ? with_commas(*result.predicted_rmse) : "-",
        with_commas(result.max_error), 100 * result.band_coverage, result.traits.bits_per_user,
        first_answer(result.traits), timed.seconds, guarantee_text(result.traits));
  }
  for (const TimedResult& timed : comparison.results) {
    if (timed.result.clipping_bias.value_or(0) > 0) {
      fmt::print("{} hides changes: a bias of {} users, apart from what is predicted\n",
                 timed.result.traits.name, with_commas(*timed.result.clipping_bias));
    }
  }
  for (const Unavailable& missing : comparison.unavailable) {
    fmt::print("{:<13} {}\n", missing.protocol, missing.reason);
  }
  if (comparison.results.empty()) return;
  const SimulationResult& best = comparison.results.front().result;
  fmt::print("\n{}, first trial:\n{}", best.traits.name, draw_chart(best, level));
}

void run(const CompareFlags& flags) {
  // Opened first: hours of simulation should not end in an unwritable file.
  std::optional<OutputFile> page;
  if (!flags.html.empty()) page.emplace(flags.html);
  const Comparison comparison = compare(flags);
  if (page) {
    page->write(comparison_page(comparison));
    page->commit();
  }
  switch (flags.format) {
    case Format::kJson:
      return fmt::print("{}\n", to_json(comparison).dump(2));
    case Format::kCsv:
      return print_csv(comparison);
    case Format::kText:
      print_text(comparison);
      if (page) fmt::print("\nwrote {}\n", flags.html);
  }
}

}  // namespace

void add_compare(CLI::App& app) {
  const auto flags = std::make_shared<CompareFlags>();
  CLI::App* command =
      app.add_subcommand("compare", "Simulates several protocols over the same population");
  command
      ->add_option("--protocols", flags->protocols,
                   "some of " + join(simulated_protocol_names()) + "; all if not given")
      ->delimiter(',')
      ->type_name("A,B,C");
  flags->simulation.add_to(*command);
  command
      ->add_option("--html", flags->html,
                   "write one self-contained page with charts: estimates, errors, error against k")
      ->type_name("FILE");
  add_format(*command, flags->format, true);
  command->footer(
      "Example: futurerand compare --protocols hybrid,future_rand,snapshot --users 100000 "
      "--population adoption --seed 1 --html compare.html");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
