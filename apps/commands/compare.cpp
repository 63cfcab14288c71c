#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "apps/cli/long_work.hpp"
#include "apps/cli/output_file.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/sweep_command.hpp"
#include "apps/report/chart.hpp"
#include "apps/report/comparison.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {
namespace {

struct CompareFlags {
  SimulationFlags simulation;
  std::vector<std::string> protocols;  // all of them if empty
  std::string html;
  std::string latex;
  std::string manifest;
  Sweep sweep;
  Format format = Format::kText;
};

double root_mean(const std::vector<double>& variances) {
  double sum = 0;
  for (const double variance : variances) sum += variance;
  return std::sqrt(sum / static_cast<double>(variances.size()));
}

// Returns what the closed forms say for other k: powers of two, and the k of this run. A k that a
// protocol cannot serve is left out.
ErrorCurve against_changes(const std::string& name, ProtocolSettings settings) {
  std::set<std::uint32_t> all = {settings.max_changes};
  for (std::uint32_t k = 1; k <= std::max(64U, settings.max_changes); k *= 2) all.insert(k);
  ErrorCurve curve{name, {}, {}};
  for (const std::uint32_t changes : all) {
    stop_if_interrupted();
    settings.max_changes = changes;
    const auto protocol = make_simulated_protocol(name, settings);
    if (!protocol) continue;
    const auto variances = (*protocol)->predicted_variances();
    if (!variances) break;
    curve.x.push_back(changes);
    curve.rmse.push_back(root_mean(*variances));
  }
  return curve;
}

Comparison compare(const CompareFlags& flags) {
  ProgressBar progress("compare");
  const Unserved unserved = flags.protocols.empty() ? Unserved::kListed : Unserved::kRefused;
  return compare_by(flags.simulation, flags.protocols, unserved, progress_of(progress));
}

std::vector<ErrorCurve> curves_against_changes(const Comparison& comparison) {
  ProgressBar progress("compare: error against k");
  std::vector<ErrorCurve> curves;
  for (const TimedResult& timed : comparison.results) {
    progress.show(static_cast<double>(curves.size()) /
                  static_cast<double>(comparison.results.size()));
    curves.push_back(against_changes(timed.result.traits.name,
                                     comparison.question.protocol_settings(comparison.num_users)));
  }
  return curves;
}

void print_csv(const Comparison& comparison) {
  CsvWriter csv(kComparisonColumns);
  for (const TimedResult& timed : comparison.results) {
    put_row(csv, comparison, timed);
    csv.end_row();
  }
  fmt::print("{}", std::move(csv).take());
}

void print_text(const Comparison& comparison) {
  const double level = comparison.question.level;
  fmt::print("{}\n\n", describe(comparison.question, comparison.num_users));
  fmt::print("{:<13} {:>11} {:>11} {:>13} {:>8} {:>9} {:>12} {:>8}  {}\n", "protocol", "rmse",
             "predicted", "largest error", "in band", "bits/user", "first answer", "seconds",
             "guarantee");
  for (const TimedResult& timed : comparison.results) {
    const SimulationResult& result = timed.result;
    fmt::print("{:<13} {:>11} {:>11} {:>13} {:>8} {:>9.1f} {:>12} {:>8.2f}  {}\n",
               result.traits.name, rmse_text(result),
               result.predicted_rmse ? with_commas(*result.predicted_rmse) : "-",
               max_error_text(result), coverage_text(result), result.traits.bits_per_user,
               first_answer(result.traits), timed.seconds, guarantee_text(result.traits));
  }
  for (const TimedResult& timed : comparison.results) {
    if (timed.result.clipping_bias.value_or(0) > 0) {
      fmt::print("{} hides changes: a bias of {} users, apart from what is predicted\n",
                 timed.result.traits.name, with_commas(*timed.result.clipping_bias));
    }
  }
  for (const TimedResult& timed : comparison.results) {
    const double without = timed.result.undetermined;
    if (without > 0 && without < 1) {
      fmt::print("{} has no answer for {:.1f}% of the periods; its errors are of the others\n",
                 timed.result.traits.name, 100 * without);
    }
  }
  for (const Unavailable& missing : comparison.unavailable) {
    fmt::print("{:<13} {}\n", missing.protocol, missing.reason);
  }
  fmt::print("\n");
  for (const std::string& line : figures_legend(level)) fmt::print("{}\n", line);
  fmt::print(
      "bits/user: of reports, over the whole horizon\n"
      "first answer: the period at whose end the first estimate is known\n");
  if (const std::string warning = too_noisy_protocols(comparison); !warning.empty()) {
    fmt::print("warning: {}\n", warning);
  }
  if (comparison.results.empty()) return;
  const SimulationResult& best = comparison.results.front().result;
  fmt::print("\n{}, first trial:\n{}", best.traits.name, draw_chart(best, level));
}

void run(const CompareFlags& flags) {
  if (flags.sweep.asked()) {
    if (!flags.latex.empty() || !flags.manifest.empty()) {
      throw bad_input("--latex, --manifest: expected no --sweep with them");
    }
    const auto chosen = [&flags](const SimulationQuestion&) { return flags.protocols; };
    return run_sweep(flags.simulation, flags.sweep, chosen, flags.format, flags.html);
  }
  // The page is opened first, because hours of simulation should not end in an unwritable file.
  // Signals are caught before, because its temporary file is to be removed after one.
  catch_interrupts();
  std::optional<OutputFile> page, latex, manifest;
  if (!flags.html.empty()) page.emplace(flags.html);
  if (!flags.latex.empty()) latex.emplace(flags.latex);
  if (!flags.manifest.empty()) manifest.emplace(flags.manifest);
  Comparison comparison = compare(flags);
  if (latex) {
    latex->write(comparison_latex(comparison));
    latex->commit();
  }
  if (manifest) {
    manifest->write(comparison_manifest(comparison, flags.protocols));
    manifest->commit();
  }
  if (page) {
    comparison.against_changes = curves_against_changes(comparison);
    page->write(comparison_page(comparison));
    page->commit();
  }
  switch (flags.format) {
    case Format::kJson:
      return fmt::print("{}\n", to_json(comparison.question, comparison).dump(2));
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
  add_flags(*command, compare_options(flags->simulation.asked));
  flags->simulation.add_values(*command);
  flags->sweep.add_to(*command);
  command
      ->add_option("--html", flags->html,
                   "write one self-contained page with charts: estimates, errors, error against k")
      ->type_name("FILE");
  command->add_option("--latex", flags->latex, "write a LaTeX table with confidence intervals")
      ->type_name("FILE");
  command
      ->add_option("--manifest", flags->manifest,
                   "write what it takes to run this again: version, arguments, results (JSON)")
      ->type_name("FILE");
  add_format(*command, flags->format, true);
  command->footer(
      "Example: futurerand compare --protocols hybrid,future_rand,snapshot --users 100000 "
      "--population adoption --seed 1 --html compare.html");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
