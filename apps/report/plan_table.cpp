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

// The defences against adversaries, each with its cost for honest devices.
void print_what_lowers_it(double users, const std::vector<PlanRow>& rows) {
  fmt::print(
      "\nThe test on view shares (at most one false alarm in {} metrics) misses up to this many "
      "liars that claim\nthe worst view. If the others draw their views, the maximum shift of the "
      "last period is\n",
      with_commas(1 / kAlarmRateEach));
  for (const PlanRow& row : rows) {
    if (!row.liars_unnoticed) continue;
    fmt::print("  {:<13} {:>12} {:>12} devices\n", row.name, with_commas(*row.liars_unnoticed),
               with_commas(*row.liars_move_unnoticed));
  }
  fmt::print(
      "\nNew metrics cap transcripts: one honest transcript in {} exceeds the cap in a period. The "
      "maximum shift of\nthe last period, and the maximum bias of an honest count, are then\n",
      with_commas(1 / kCapRate));
  for (const PlanRow& row : rows) {
    if (!row.liars_move_capped) continue;
    fmt::print("  {:<13} {:>12} {:>12} devices\n", row.name, with_commas(*row.liars_move_capped),
               with_commas(*row.cap_bias));
  }
  fmt::print(
      "\nThe test on transcripts above the cap (at most one false alarm in {} metrics) misses up "
      "to this many liars\nabove it in a period, less any honest devices above it (on average at "
      "most {})\n",
      with_commas(1 / kAlarmRateEach), with_commas(2 * kCapRate * users));
  for (const PlanRow& row : rows) {
    if (!row.liars_beyond_unnoticed) continue;
    fmt::print("  {:<13} {:>12} devices\n", row.name, with_commas(*row.liars_beyond_unnoticed));
  }
}

}  // namespace

void print_plan_table(const PlanQuestion& question, const std::vector<PlanRow>& rows,
                      const std::string& values, const std::optional<OverChanges>& over,
                      bool central) {
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
  fmt::print("{:<13} {:>9} {:>15} {:>12} {:>12}{}", "protocol", "gap", "epsilon spent", "rmse",
             "95% max", central ? fmt::format(" {:>8}", "central") : "");
  fmt::print("{}  {}\n", question.target_error ? fmt::format(" {:>14}", "users needed") : "",
             "guarantee");
  for (const PlanRow& row : rows) {
    if (!row.unavailable.empty()) {
      fmt::print("{:<13} {}\n", row.name, row.unavailable);
      continue;
    }
    const auto& error = row.error;
    fmt::print("{:<13} {:>9} {:>15} {:>12} {:>12}{}", row.name,
               row.deployable && !row.gap ? "by view" : number(row.gap, 6), epsilon_text(row),
               number(error ? std::optional(error->rmse) : std::nullopt, 0),
               number(error ? std::optional(error->max_error) : std::nullopt, 0),
               central ? fmt::format(" {:>8}", number(row.central_epsilon, 4)) : "");
    if (question.target_error) fmt::print(" {:>14}", number(row.users_needed, 0));
    fmt::print("  {}{}\n", name_of(*row.guarantee), row.online ? "" : ", offline");
  }
  fmt::print(
      "\ngap: how much more often a sign is true than false; by view: each report type has its own"
      "\nepsilon spent: over all periods together; innovation: of long plans an upper bound"
      "\nrmse: typical error of a period in users; 95% max: in 95 of 100 runs no period errs by "
      "more\n");
  if (central) {
    fmt::print(
        "central: epsilon of published estimates at delta {:g}, if reports are shuffled (no "
        "shuffler ships)\n",
        question.delta);
    for (const PlanRow& row : rows) {
      if (row.sequence_private() && !row.central_epsilon) {
        fmt::print("  {}: {}\n", row.name, row.no_central_epsilon);
      }
    }
  }
  if (question.liars) {
    fmt::print(
        "\nIf {:g}% of the devices lie, the maximum shift of the last period, and of the worst "
        "one, is\n",
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
        "\n{} of {} in {} change more than {} times ({:.2g}%). They stay private and bias the "
        "count\n",
        with_commas(static_cast<double>(over->over)), counted(over->users, "user"), values,
        question.changes,
        100.0 * static_cast<double>(over->over) / static_cast<double>(over->users));
    if (!over->bias.empty()) fmt::print("by this many users on average, and at most\n");
    for (const BiasOf& bias : over->bias) {
      fmt::print("  {:<13} {:>+12.2f} {:>+12.2f} at period {}\n", bias.protocol, bias.mean,
                 bias.largest, bias.period);
    }
  }
  if (const PlanRow* best = recommended(question, rows)) {
    fmt::print("\nrecommended: {}\n", best->name);
    if (const PlanRow* least = most_accurate(rows); least != best) {
      fmt::print("{} has a smaller error but cannot count active devices (--estimand enrolled)\n",
                 least->name);
    }
  }
  const std::string warning = plan_warning(question, rows);
  if (!warning.empty()) fmt::print("warning: {}\n", warning);
}

void print_value_plan(const PlanQuestion& question, const ValuePlan& plan) {
  const bool is_distribution = question.value == CodingKind::kDistribution;
  fmt::print(
      "{}, {}, values of kind {} that change at most {}, epsilon {} over the whole horizon\n",
      counted(question.users, "user"), counted(question.periods, "period"), name_of(question.value),
      counted(question.changes, "time"), question.epsilon.text());
  if (is_distribution) {
    const ValueChoice& choice = plan.choices.front();
    fmt::print(
        "\nstandard deviation at one period\n"
        "  share of values below a threshold  {:.3g}% (root mean square over the thresholds)\n"
        "  mean                               {:.3g}% of the range\n",
        100 * choice.noise, 100 * choice.mean_noise);
  } else {
    fmt::print("\n{:>11} {:>12} {:>12} {:>12}\n", "max_changes", "noise", "loss", "error");
    for (const ValueChoice& choice : plan.choices) {
      fmt::print("{:>11} {:>11.3g}% {:>11.2g}% {:>11.3g}%\n", choice.max_changes,
                 100 * choice.noise, 100 * choice.loss, 100 * choice.error);
    }
    fmt::print(
        "\nnoise: standard deviation of the share of a label, the same for every label"
        "\nloss: what a device with {} loses of its own label; it appears at its previous label"
        "\nerror: both, for a label of {:g}% of the users\n",
        counted(question.changes, "change"), 100 * kTypicalShare);
  }
  fmt::print("\nusers needed so that the standard deviation is a quarter of {}\n",
             is_distribution ? "a share below a threshold" : "a label's share");
  for (const auto& [share, devices] : plan.devices_for_share) {
    fmt::print("  {:>4g}%  {:>16}\n", 100 * share, with_commas(devices));
  }
  fmt::print("\nrecommended: innovation, max_changes {}\n", plan.choices[plan.best].max_changes);
}

void print_segment_plan(const PlanQuestion& question, const SegmentPlan& plan,
                        const std::string& protocol) {
  fmt::print("\nby {}, with {}\n{:<20} {:>8} {:>12} {:>12} {:>14}\n", question.segments.name(),
             protocol, "segment", "share", "devices", "rmse", "error of share");
  for (const SegmentChoice& segment : plan.segments) {
    fmt::print("{:<20} {:>7.2f}% {:>12} {:>12.1f} {:>13.2f}%\n", segment.name, 100 * segment.share,
               with_commas(segment.devices), segment.rmse, 100 * segment.share_error);
  }
  fmt::print("\nA share with an error of {:g}% needs a segment of {} devices, {:.2f}% of them.\n",
             100 * plan.target_error, with_commas(plan.smallest_devices),
             100 * plan.smallest_share);
}

void print_season_plan(const PlanQuestion& question, const SeasonPlan& plan) {
  const double epsilon = question.epsilon.value();
  fmt::print("{}, epsilon {} in any {} in a row, a life of {}, one change in {:g} periods\n\n",
             counted(question.users, "device"), question.epsilon.text(),
             counted(*question.window, "period"), counted(question.life, "period"),
             question.change_every);
  fmt::print("{:>7} {:>6} {:>6}  {:<11} {:>7} {:>12} {:>12} {:>10}\n", "season", "every", "rest",
             "protocol", "changes", "error", "epsilon in", "epsilon in");
  fmt::print("{:>7} {:>6} {:>6}  {:<11} {:>7} {:>12} {:>12} {:>10}\n", "", "", "", "", "",
             "of the share", "any window", "a life");
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    const SeasonChoice& choice = plan.choices[i];
    fmt::print("{:>7} {:>6} {:>6}  {:<11} {:>7} {:>11.3f}% {:>12.4g} {:>10.4g}{}\n",
               choice.calendar.season(), choice.calendar.every(), choice.calendar.rest(),
               name_of(choice.protocol), choice.max_changes, 100 * choice.share_sd,
               epsilon * static_cast<double>(choice.in_window),
               epsilon * static_cast<double>(choice.in_life), i == plan.best ? "  *" : "");
  }
  const SeasonChoice& best = plan.choices[plan.best];
  fmt::print(
      "\n* recommended: the longest season within 10% of the smallest error. Longer seasons cost "
      "less over a life.\nerror: standard deviation of the share of all devices, resting ones "
      "included, as a mean over {}.\n",
      counted(question.resolution, "period"));
  fmt::print(
      "A fact that outlasts the window is reported again in each season. Its protection is the "
      "last column.\n\nCreate it with "
      "{{\"periods\":{},\"max_changes\":{},\"epsilon\":\"{}\",\"seasons\":{{\"every\":{},\"rest\":{"
      "}}}}}\n",
      best.calendar.season(), best.max_changes, question.epsilon.text(), best.calendar.every(),
      best.calendar.rest());
}

void print_group_plan(const GroupQuestion& question, const GroupPlan& plan) {
  std::size_t width = 6;
  for (const GroupPlan::Row& row : plan.rows) width = std::max(width, row.metric.name.size());
  fmt::print("{}, epsilon {} for {} metrics together\n\n", counted(question.users, "device"),
             question.epsilon.text(), plan.rows.size());
  fmt::print("{:{}}                           split epsilon        split devices\n", "", width);
  fmt::print("{:{}} {:>7} {:>7} {:>6}  {:>11} {:>7}  {:>11} {:>7}\n", "metric", width, "periods",
             "changes", "weight", "epsilon", "error", "devices", "error");
  for (const GroupPlan::Row& row : plan.rows) {
    fmt::print("{:{}} {:>7} {:>7} {:>6}  {:>11} {:>6.2f}%  {:>11.0f} {:>6.2f}%\n", row.metric.name,
               width, row.metric.periods, row.metric.changes, row.metric.weight,
               row.split_epsilon.epsilon.text(), 100 * row.split_epsilon.share_error,
               row.split_devices.devices, 100 * row.split_devices.share_error);
  }
  fmt::print("{:{}} {:>7} {:>7} {:>6}  {:>11} {:>6.2f}%  {:>11} {:>6.2f}%\n", "all", width, "", "",
             "", "", 100 * plan.split_epsilon_error, "", 100 * plan.split_devices_error);
  fmt::print(
      "\nerror: root mean square over the periods, of the share of all devices. With split "
      "devices it includes\nthe sampling of devices. all: root mean square over the metrics.\n\n");
  if (!plan.recommends_devices()) {
    fmt::print("recommended: split epsilon. Create each metric with its part of epsilon.\n");
    return;
  }
  fmt::print(
      "recommended: split devices. Each device draws one metric, once, and spends epsilon {} on "
      "it.\nCreate each metric with epsilon {} and \"group\":{}\n",
      question.epsilon.text(), question.epsilon.text(), group_definition(question.group));
}

}  // namespace futurerand::apps
