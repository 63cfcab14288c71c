#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
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
#include "futurerand/study/season_budget.hpp"

namespace futurerand::apps {
namespace {

struct SimulateFlags {
  SimulationFlags simulation;
  Sweep sweep;
  std::string html;
  Format format = Format::kText;
};

std::string_view figures_in_words(CodingKind value) {
  return value == CodingKind::kCategory       ? "labels, "
         : value == CodingKind::kDistribution ? "thresholds, "
                                              : "";
}

double root_mean_square_bias(const SimulationResult& result) {
  double sum = 0;
  const auto& all = result.figures.empty() ? result.periods : result.figures;
  for (const SimulatedPeriod& at : all) sum += at.bias * at.bias;
  return std::sqrt(sum / static_cast<double>(all.size()));
}

void put_figures(CsvWriter& csv, const SimulatedPeriod& at) {
  const auto whole = static_cast<std::uint64_t>(at.truth);
  static_cast<double>(whole) == at.truth ? csv.cell(whole) : csv.cell(at.truth);
  csv.cell(at.estimate).cell(at.stddev);
  csv.cell(at.band.lower).cell(at.band.upper).cell(at.bias).cell(at.bias_z).end_row();
}

// All figures of all periods.
void print_csv(const SimulationResult& result) {
  if (result.figures.empty()) {
    CsvWriter csv("period,truth,estimate,stddev,lower,upper,bias,bias_z");
    for (const SimulatedPeriod& at : result.periods) put_figures(csv.cell(at.period), at);
    return fmt::print("{}", std::move(csv).take());
  }
  CsvWriter csv("period,label,truth,estimate,stddev,lower,upper,bias,bias_z");
  for (std::size_t i = 0; i < result.figures.size(); ++i) {
    const SimulatedPeriod& at = result.figures[i];
    csv.cell(at.period).cell(result.figure_names[i % result.figure_names.size()]);
    put_figures(csv, at);
  }
  fmt::print("{}", std::move(csv).take());
}

// The labels with the most users in the last period, or some thresholds.
void print_last_period(const SimulationResult& result, bool is_distribution) {
  constexpr std::size_t kMost = 8;
  const std::size_t count = result.figure_names.size();
  const SimulatedPeriod* last = result.figures.data() + (result.figures.size() - count);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (is_distribution) {
    std::erase_if(order, [&](std::size_t i) { return (i + 1) % ((count + 1) / 8) != 0; });
  } else {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return last[a].truth > last[b].truth; });
  }
  order.resize(std::min(order.size(), kMost));
  fmt::print("{:<24} {:>12} {:>12}  band, in period {}\n",
             is_distribution ? "values" : "most frequent label", "truth", "estimate", last->period);
  for (const std::size_t i : order) {
    fmt::print("{:<24} {:>12} {:>12}  {} to {}\n", result.figure_names[i],
               with_commas(last[i].truth), with_commas(last[i].estimate),
               with_commas(last[i].band.lower), with_commas(last[i].band.upper));
  }
  fmt::print("\n");
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
  if (!result.figures.empty()) {
    fmt::print("{}, first trial:\n", result.figure_names[result.shown]);
  }
  fmt::print("{}\n", draw_chart(result, level));
  if (!result.figures.empty()) {
    print_last_period(result, question.value == CodingKind::kDistribution);
  }
  if (has_answer(result)) {
    fmt::print("rmse            {:>12} users, over all {}periods and trials{}\n",
               with_commas(result.rmse), figures_in_words(question.value),
               result.undetermined > 0 ? " with an answer" : "");
  }
  if (const auto calendar = question.calendar(); calendar && *calendar) {
    const SeasonBudget budget = SeasonBudget::of(**calendar, question.epsilon);
    fmt::print("seasons         {} on, {} off, a new one every {}, {} cycles\n",
               (*calendar)->season(), (*calendar)->rest(), (*calendar)->every(), question.cycles);
    fmt::print("epsilon         {:>12.4g} in any {} periods; {:.4g} in a life of {}\n",
               budget.epsilon_in_window(), budget.window, budget.epsilon_in_life(), budget.life);
    fmt::print(
        "share           {:>12.3f} standard deviation, times the root of the number of devices\n",
        result.rmse / std::sqrt(static_cast<double>(num_users)));
    if (answer.step_noise_ratio) {
      fmt::print("season's start  {:>12.2f} times the noise of other steps\n",
                 *answer.step_noise_ratio);
    }
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
        "clipping bias   {:>12} users beside the predicted error; {:+.1f} on average, {:+.1f} "
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
    fmt::print("bias            {:>12} users, root mean square over {}periods\n",
               with_commas(root_mean_square_bias(result)), figures_in_words(question.value));
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
  if (asked.every && flags.sweep.asked()) throw bad_input("--sweep: expected no --every with it");
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
      "simulate",
      "Run real devices and the real estimator over a population, and measure the error");
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
