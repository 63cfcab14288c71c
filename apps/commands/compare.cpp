#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "apps/cli/long_work.hpp"
#include "apps/cli/output_file.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/grouped_comparison.hpp"
#include "apps/commands/sweep_command.hpp"
#include "apps/report/chart.hpp"
#include "apps/report/comparison.hpp"
#include "apps/report/comparison_manifest.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {
namespace {

struct CompareFlags : GroupedQuestion {
  std::string html;
  std::string latex;
  std::string manifest;
  std::string rerun;  // the manifest to run again
  Sweep sweep;
  Format format = Format::kText;
};

double root_mean(const std::vector<double>& variances) {
  double sum = 0;
  for (const double variance : variances) sum += variance;
  return std::sqrt(sum / static_cast<double>(variances.size()));
}

// Returns the closed forms for other k: powers of two, and the k of this run. A k outside a
// protocol's range is left out.
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

void print_csv(const std::vector<GroupResult>& groups) {
  const bool named = !groups.front().name.empty();
  CsvWriter csv((named ? "group," : "") + std::string(kComparisonColumns));
  for (const GroupResult& group : groups) {
    for (const TimedResult& timed : group.all.results) {
      if (named) csv.cell(group.name);
      put_row(csv, group.all, timed);
      csv.end_row();
    }
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
      fmt::print("{} hides changes: a bias of {} users beside the predicted error\n",
                 timed.result.traits.name, with_commas(*timed.result.clipping_bias));
    }
  }
  for (const TimedResult& timed : comparison.results) {
    const double without = timed.result.undetermined;
    if (without > 0 && without < 1) {
      fmt::print(
          "{} has no answer for {:.1f}% of the periods; its errors are those of the other "
          "periods\n",
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
  const std::string of = best.figures.empty() ? "" : ", " + best.figure_names[best.shown];
  fmt::print("\n{}{}, first trial:\n{}", best.traits.name, of, draw_chart(best, level));
}

void print(const CompareFlags& flags, const std::vector<GroupResult>& groups) {
  switch (flags.format) {
    case Format::kJson:
      return fmt::print("{}\n", document_of(groups).dump(2));
    case Format::kCsv:
      return print_csv(groups);
    case Format::kText:
      for (const GroupResult& group : groups) {
        if (!group.name.empty()) fmt::print("group {}: ", group.name);
        print_text(group.all);
        if (&group != &groups.back()) fmt::print("\n");
      }
      if (!flags.seeds.empty()) fmt::print("\npooled over {} seeds\n", flags.seeds.size());
      if (!flags.html.empty()) fmt::print("\nwrote {}\n", flags.html);
  }
}

void check(const CompareFlags& flags) {
  if (!flags.seeds.empty() && flags.simulation.asked.seed) {
    throw bad_input("--seeds: expected no --seed with it");
  }
  if (!flags.groups.empty() && (!flags.simulation.values.empty() || !flags.html.empty())) {
    throw bad_input("--group: expected no --values and no --html with it");
  }
  if (!flags.sweep.asked()) return;
  if (!flags.latex.empty() || !flags.manifest.empty() || !flags.seeds.empty() ||
      !flags.groups.empty()) {
    throw bad_input("--latex, --manifest, --seeds, --group: expected no --sweep with them");
  }
}

// The question of the manifest. The only other flags may be those of the output, and --threads.
std::optional<ComparisonManifest> read_rerun(const CLI::App& command, CompareFlags& flags) {
  if (flags.rerun.empty()) return {};
  const std::set<std::string> allowed = {"--rerun", "--format",   "--html",
                                         "--latex", "--manifest", "--threads"};
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && !allowed.contains(option->get_name())) {
      throw bad_input("--rerun: expected no " + option->get_name() + " with it");
    }
  }
  ComparisonManifest manifest(flags.rerun);
  const std::optional<unsigned> threads = flags.simulation.asked.threads;
  static_cast<GroupedQuestion&>(flags) = question_of(manifest);
  flags.simulation.asked.threads = threads;
  return manifest;
}

// A manifest without a seed would be of no use.
std::uint64_t drawn_seed() {
  std::uint64_t word = 0;
  if (!SystemEntropy().fill({&word, 1})) throw failed("the system's entropy cannot be read");
  return word >> 11;  // every program that reads JSON can hold it
}

void run(const CLI::App& command, CompareFlags& flags) {
  const std::optional<ComparisonManifest> known = read_rerun(command, flags);
  check(flags);
  if (!flags.manifest.empty() && flags.seeds.empty() && !flags.simulation.asked.seed) {
    flags.simulation.asked.seed = drawn_seed();
  }
  if (flags.sweep.asked()) {
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
  std::vector<GroupResult> groups = run_comparisons(flags);
  if (latex) {
    for (const GroupResult& group : groups) {
      latex->write(comparison_latex(group.all, group.name, flags.seeds));
    }
    latex->commit();
  }
  if (manifest) {
    std::vector<std::pair<std::string, const Comparison*>> listed;
    for (const GroupResult& group : groups) listed.emplace_back(group.name, &group.all);
    manifest->write(comparison_manifest(listed, flags.protocols, flags.seeds, document_of(groups)));
    manifest->commit();
  }
  if (page) {
    Comparison& comparison = groups.front().all;
    comparison.against_changes = curves_against_changes(comparison);
    page->write(comparison_page(comparison));
    page->commit();
  }
  print(flags, groups);
  if (known) known->check_results(document_of(groups));
}

void add_seeds_and_groups(CLI::App& command, CompareFlags& flags) {
  command
      .add_option("--seeds", flags.seeds,
                  "several seeds, each with its own users and trials; the table pools them")
      ->delimiter(',')
      ->type_name("A,B,C");
  command
      .add_option_function<std::vector<std::string>>(
          "--group",
          [&flags](const std::vector<std::string>& given) {
            for (const std::string& text : given) {
              const std::size_t equals = text.find('=');
              if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
                throw CLI::ValidationError("--group", "'" + text + "'; expected NAME=FILE");
              }
              flags.groups.push_back({text.substr(0, equals), text.substr(equals + 1), {}});
            }
          },
          "a group of users with its own values file; may be repeated; each group is compared "
          "separately")
      ->excludes(command.get_option("--population"))
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
}

}  // namespace

void add_compare(CLI::App& app) {
  const auto flags = std::make_shared<CompareFlags>();
  CLI::App* command =
      app.add_subcommand("compare", "Simulate several protocols over the same population");
  command
      ->add_option("--protocols", flags->protocols,
                   "some of " + join(simulated_protocol_names()) + "; default: all")
      ->delimiter(',')
      ->type_name("A,B,C");
  add_flags(*command, compare_options(flags->simulation.asked));
  flags->simulation.add_values(*command);
  add_seeds_and_groups(*command, *flags);
  flags->sweep.add_to(*command);
  command
      ->add_option("--html", flags->html,
                   "write one self-contained page with charts: estimates, errors, error against k")
      ->type_name("FILE");
  command->add_option("--latex", flags->latex, "write a LaTeX table with confidence intervals")
      ->type_name("FILE");
  command
      ->add_option("--manifest", flags->manifest,
                   "write version, arguments, seed and results as JSON, for --rerun")
      ->type_name("FILE");
  command
      ->add_option("--rerun", flags->rerun,
                   "run the comparison of a manifest again; fails if other results come out")
      ->type_name("FILE");
  add_format(*command, flags->format, true);
  command->footer(
      "Example: futurerand compare --protocols hybrid,future_rand,snapshot --users 100000 "
      "--population adoption --seed 1 --html compare.html");
  command->callback([flags, command] { run(*command, *flags); });
}

}  // namespace futurerand::apps
