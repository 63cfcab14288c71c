#include "apps/report/plan_table.hpp"

#include <optional>
#include <string>

#include <fmt/core.h>

#include "futurerand/documents/captions.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"
#include "futurerand/estimator/robustness/self_check.hpp"

namespace futurerand::apps {
namespace {

std::string epsilon_text(const PlanRow& row) {
  if (row.unbounded) return "unbounded";
  return row.exact_epsilon ? fmt::format("{:.9f}", *row.exact_epsilon) : "-";
}

// What takes from liars, each with what it costs those who are honest.
void print_what_lowers_it(double users, const std::vector<PlanRow>& rows) {
  fmt::print(
      "\na test on the shares of views (at most one false alarm in {} metrics, no error) lets so "
      "many of\nthem claim the view that counts the most unnoticed; the others draw theirs, and "
      "all move the last period by\n",
      with_commas(1 / kAlarmRateEach));
  for (const PlanRow& row : rows) {
    if (!row.liars_unnoticed) continue;
    fmt::print("  {:<13} {:>12} {:>12} devices\n", row.name, with_commas(*row.liars_unnoticed),
               with_commas(*row.liars_move_unnoticed));
  }
  fmt::print(
      "\na cap that one honest transcript in {} passes in a period, and that new metrics have, "
      "lets them move the last\nperiod by so much, and biases it by at most so much\n",
      with_commas(1 / kCapRate));
  for (const PlanRow& row : rows) {
    if (!row.liars_move_capped) continue;
    fmt::print("  {:<13} {:>12} {:>12} devices\n", row.name, with_commas(*row.liars_move_capped),
               with_commas(*row.cap_bias));
  }
  fmt::print(
      "\na test on transcripts beyond the cap (at most one false alarm in {} metrics, no error) "
      "lets so many of them\nlie beyond it in a period unnoticed if nobody honest does; honest "
      "devices, at most {} of them on average, leave fewer\n",
      with_commas(1 / kAlarmRateEach), with_commas(2 * kCapRate * users));
  for (const PlanRow& row : rows) {
    if (!row.liars_beyond_unnoticed) continue;
    fmt::print("  {:<13} {:>12} devices\n", row.name, with_commas(*row.liars_beyond_unnoticed));
  }
}

}  // namespace

void print_plan_table(const PlanQuestion& question, const std::vector<PlanRow>& rows,
                      const std::string& values, const std::optional<OverChanges>& over) {
  fmt::print("{}, {}, at most {} each, epsilon {} over the whole horizon\n\n",
             counted(question.users, "user"), counted(question.periods, "period"),
             counted(question.changes, "change"), question.epsilon.text());
  if (question.estimator != EstimatorKind::kOnline) {
    fmt::print("estimates: {}{}\n\n", name_of(question.estimator),
               question.estimator == EstimatorKind::kTrend
                   ? fmt::format(", of a share that moves by {:g} in a period", question.drift)
                   : "");
  }
  const auto number = [](const std::optional<double>& value, int decimals) {
    return value ? fmt::format("{:.{}f}", *value, decimals) : std::string("-");
  };
  fmt::print("{:<13} {:>9} {:>15} {:>12} {:>12} {:>8}", "protocol", "gap", "exact epsilon", "rmse",
             "95% max", "central");
  fmt::print("{}  {}\n", question.target_error ? fmt::format(" {:>14}", "users needed") : "",
             "guarantee");
  for (const PlanRow& row : rows) {
    if (!row.unavailable.empty()) {
      fmt::print("{:<13} {}\n", row.name, row.unavailable);
      continue;
    }
    const auto& error = row.error;
    fmt::print("{:<13} {:>9} {:>15} {:>12} {:>12} {:>8}", row.name,
               row.deployable && !row.gap ? "by view" : number(row.gap, 6), epsilon_text(row),
               number(error ? std::optional(error->rmse) : std::nullopt, 0),
               number(error ? std::optional(error->max_error) : std::nullopt, 0),
               number(row.central_epsilon, 4));
    if (question.target_error) fmt::print(" {:>14}", number(row.users_needed, 0));
    fmt::print("  {}{}\n", name_of(*row.guarantee), row.online ? "" : ", offline");
  }
  fmt::print(
      "\ngap: how much more often a sign is true than false; by view: each kind of report has its "
      "own"
      "\nrmse: typical error of a period in users; 95% max: no period errs by more, in 95 of 100 "
      "runs"
      "\ncentral: epsilon of what is published, at delta {:g}, if reports are shuffled (no "
      "shuffler "
      "ships)\n",
      question.delta);
  for (const PlanRow& row : rows) {
    if (row.sequence_private() && !row.central_epsilon) {
      fmt::print("  {}: {}\n", row.name, row.no_central_epsilon);
    }
  }
  if (question.liars) {
    fmt::print(
        "\nif {:g}% of the devices lie, they move the last period, and the worst, by at most\n",
        100 * *question.liars);
    for (const PlanRow& row : rows) {
      if (!row.liars_move_last) continue;
      fmt::print("  {:<13} {:>12} {:>12} devices\n", row.name, with_commas(*row.liars_move_last),
                 with_commas(*row.liars_move_most));
    }
    print_what_lowers_it(static_cast<double>(question.users), rows);
  }
  if (over) {
    fmt::print(
        "\n{} of {} in {} change more than {} times ({:.2g}%): they stay private and bias the "
        "count\n",
        with_commas(static_cast<double>(over->over)), counted(over->users, "user"), values,
        question.changes,
        100.0 * static_cast<double>(over->over) / static_cast<double>(over->users));
    if (!over->bias.empty()) fmt::print("by so many of them on average, and at most\n");
    for (const BiasOf& bias : over->bias) {
      fmt::print("  {:<13} {:>+12.2f} {:>+12.2f} at period {}\n", bias.protocol, bias.mean,
                 bias.largest, bias.period);
    }
  }
  if (const PlanRow* best = recommended(question, rows)) {
    fmt::print("\nrecommended: {}\n", best->name);
    if (const PlanRow* least = most_accurate(rows); least != best) {
      fmt::print("{} errs less and cannot count active devices (--estimand enrolled)\n",
                 least->name);
    }
  }
  const std::string warning = plan_warning(question, rows);
  if (!warning.empty()) fmt::print("warning: {}\n", warning);
}

}  // namespace futurerand::apps
