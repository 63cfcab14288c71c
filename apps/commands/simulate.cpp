#include <cmath>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "apps/cli/long_work.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/sweep_command.hpp"
#include "apps/report/chart.hpp"
#include "apps/report/simulation_report.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/documents/csv_writer.hpp"
#include "futurerand/documents/too_noisy.hpp"
#include "futurerand/study/over_changes.hpp"

namespace futurerand::apps {
namespace {

struct SimulateFlags {
  SimulationFlags simulation;
  Sweep sweep;
  std::string html;
  Format format = Format::kText;
};

double root_mean_square_bias(const SimulationResult& result) {
  double sum = 0;
  for (const SimulatedPeriod& at : result.periods) sum += at.bias * at.bias;
  return std::sqrt(sum / static_cast<double>(result.periods.size()));
}

void print_csv(const SimulationResult& result) {
  CsvWriter csv("period,truth,estimate,stddev,lower,upper,bias,bias_z");
  for (const SimulatedPeriod& at : result.periods) {
    csv.cell(at.period);
    const auto whole = static_cast<std::uint64_t>(at.truth);
    static_cast<double>(whole) == at.truth ? csv.cell(whole) : csv.cell(at.truth);
    csv.cell(at.estimate).cell(at.stddev);
    csv.cell(at.band.lower).cell(at.band.upper).cell(at.bias).cell(at.bias_z).end_row();
  }
  fmt::print("{}", std::move(csv).take());
}

void print_text(const SimulationQuestion& question, const SimulationAnswer& answer) {
  const SimulationResult& result = answer.timed.result;
  const std::uint64_t num_users = answer.num_users;
  const double level = question.level;
  fmt::print("{}: {}\n\n", result.traits.name, describe(question, num_users));
  if (answer.has_churn) {
    fmt::print("{}\ncounted: {}\n", describe(*question.churn_pattern()),
               counted_in_words(answer.estimand, question.inactive_after));
    if (result.cap_bias) fmt::print("capped: {}\n", cap_in_words(*result.cap_bias));
    fmt::print("\n");
  }
  fmt::print("{}\n", draw_chart(result, level));
  if (has_answer(result)) {
    fmt::print("rmse            {:>12} users, over all periods and trials{}\n",
               with_commas(result.rmse), result.undetermined > 0 ? " with an answer" : "");
  }
  if (result.undetermined > 0) {
    fmt::print("no answer       {:>11.1f}% of periods and trials\n", 100 * result.undetermined);
  }
  if (result.predicted_rmse) {
    fmt::print("predicted rmse  {:>12} users\n", with_commas(*result.predicted_rmse));
  }
  if (result.clipping_bias.value_or(0) > 0) {
    const BiasOf bias = summarize_bias(result.traits.name, result.expected_bias);
    fmt::print(
        "clipping bias   {:>12} users, apart from what is predicted; {:+.1f} on average, {:+.1f} "
        "at "
        "period {}\n",
        with_commas(*result.clipping_bias), bias.mean, bias.largest, bias.period);
  }
  if (has_answer(result)) {
    fmt::print("largest error   {:>12} users, mean over trials\n", with_commas(result.max_error));
  }
  if (has_answer(result) && std::isfinite(result.band_coverage)) {
    fmt::print("band coverage   {:>11.1f}% of periods inside their {:g}% band\n",
               100 * result.band_coverage, 100 * level);
  }
  if (const std::optional<Moved>& moved = answer.moved) {
    fmt::print(
        "moved           {:>12.2f} devices by each of {} liars at period {}; at most {:.2f}\n",
        moved->each, with_commas(static_cast<double>(moved->liars)), moved->period, moved->most);
  }
  for (const auto& [text, alarms] : result.alarms_by) {
    fmt::print("alarms          {:>12} of {} trials: {}\n", alarms, result.trials, text);
  }
  fmt::print("bits per user   {:>12.1f} over the whole horizon\n", result.traits.bits_per_user);
  if (result.clipped_users > 0) {
    fmt::print("clipped users   {:>12} had changes past {}, {:.2g}% of all: they bias the count\n",
               with_commas(result.clipped_users), question.changes,
               100 * result.clipped_users / static_cast<double>(num_users));
    fmt::print("bias            {:>12} users, root mean square over periods\n",
               with_commas(root_mean_square_bias(result)));
  }
  fmt::print("guarantee       {}{}\n", name_of(result.traits.guarantee),
             result.traits.online ? "" : "; answers only after the last period");
  if (!result.traits.note.empty()) fmt::print("note            {}\n", result.traits.note);
  fmt::print("seconds         {:>12.2f}\n", answer.timed.seconds);
  const std::string warning = too_noisy(num_users, typical_band(result), level);
  if (!warning.empty()) fmt::print("warning         {}\n", warning);
}

void run(const SimulateFlags& flags) {
  const SimulationQuestion& asked = flags.simulation.asked;
  if (flags.sweep.asked()) {
    if (!or_bad_input(asked.churn_pattern()).is_plain()) {
      throw bad_input("--sweep: expected no --joining, --dropout and --offline with it");
    }
    const auto chosen = [](const SimulationQuestion& question) {
      return std::vector{or_bad_input(chosen_protocol(question))};
    };
    return run_sweep(flags.simulation, flags.sweep, chosen, flags.format, flags.html);
  }
  if (!flags.html.empty()) throw bad_input("--html: expected --sweep with it; compare has a page");
  const SimulationQuestion question = flags.simulation.question();
  const SimulationAnswer answer = [&] {
    ProgressBar progress("simulate");
    return or_end(run_simulation(question, progress_of(progress)));
  }();
  switch (flags.format) {
    case Format::kJson:
      return fmt::print("{}\n", to_json(question, answer).dump(2));
    case Format::kCsv:
      return print_csv(answer.timed.result);
    case Format::kText:
      return print_text(question, answer);
  }
}

}  // namespace

void add_simulate(CLI::App& app) {
  const auto flags = std::make_shared<SimulateFlags>();
  CLI::App* command = app.add_subcommand(
      "simulate", "Runs real devices and the real estimator over a population, and measures");
  add_flags(*command, simulate_options(flags->simulation.asked));
  flags->simulation.add_values(*command);
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
