#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/commands.hpp"
#include "apps/plan_document.hpp"
#include "apps/plan_rows.hpp"
#include "apps/rival_flags.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const PlanCommandFlags& flags, const PlanRow& row) {
  const bool has = row.unavailable.empty();
  const double budget = flags.plan.budget().value();
  const std::optional<PredictedError>& error = row.error;
  Json json = {
      {"name", row.name},
      {"sequence_private", has ? Json(row.sequence_private()) : Json(nullptr)},
      {"online", row.online},
      {"guarantee", has ? Json(name_of(*row.guarantee)) : Json(nullptr)},
      {"gap", or_null(row.gap)},
      {"exact_epsilon", or_null(row.exact_epsilon)},
      {"budget_spent", row.exact_epsilon ? Json(*row.exact_epsilon / budget) : Json(nullptr)},
      {"predicted_rmse", error ? Json(error->rmse) : Json(nullptr)},
      {"predicted_max_error", error ? Json(error->max_error) : Json(nullptr)},
      {"central_epsilon", or_null(row.central_epsilon)}};
  if (row.unbounded) json["unbounded"] = true;
  if (!row.no_central_epsilon.empty()) json["no_central_epsilon"] = row.no_central_epsilon;
  if (flags.target_error) json["users_needed"] = or_null(row.users_needed);
  if (!has) json["unavailable"] = row.unavailable;
  return json;
}

Json to_json(const PlanCommandFlags& flags, const std::vector<PlanRow>& rows) {
  Json json = {{"users", flags.users},
               {"periods", flags.plan.periods},
               {"max_changes", flags.plan.changes},
               {"epsilon", flags.plan.budget().value()},
               {"delta", flags.delta}};
  for (const PlanRow& row : rows) json["protocols"].push_back(to_json(flags, row));
  const PlanRow* best = recommended(rows);
  json["recommended"] = best ? Json(best->name) : Json(nullptr);
  return json;
}

std::string epsilon_text(const PlanRow& row) {
  if (row.unbounded) return "unbounded";
  return row.exact_epsilon ? fmt::format("{:.9f}", *row.exact_epsilon) : "-";
}

void print_text(const PlanCommandFlags& flags, const std::vector<PlanRow>& rows) {
  fmt::print("{} users, {} periods, at most {} changes each, epsilon {} over the whole horizon\n\n",
             flags.users, flags.plan.periods, flags.plan.changes, flags.plan.budget().text());
  const auto number = [](const std::optional<double>& value, int decimals) {
    return value ? fmt::format("{:.{}f}", *value, decimals) : std::string("-");
  };
  fmt::print("{:<13} {:>9} {:>15} {:>12} {:>12} {:>8}", "protocol", "gap", "exact epsilon", "rmse",
             "95% max", "central");
  fmt::print("{}  {}\n", flags.target_error ? fmt::format(" {:>14}", "users needed") : "",
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
    if (flags.target_error) fmt::print(" {:>14}", number(row.users_needed, 0));
    fmt::print("  {}{}\n", name_of(*row.guarantee), row.online ? "" : ", offline");
  }
  fmt::print("\ncentral: epsilon of what is published, at delta {:g}, if reports are shuffled\n",
             flags.delta);
  for (const PlanRow& row : rows) {
    if (row.sequence_private() && !row.central_epsilon) {
      fmt::print("  {}: {}\n", row.name, row.no_central_epsilon);
    }
  }
  if (const PlanRow* best = recommended(rows)) fmt::print("\nrecommended: {}\n", best->name);
}

void run(const PlanCommandFlags& flags) {
  const std::vector<PlanRow> rows = make_rows(flags);
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", to_json(flags, rows).dump(2));
  } else {
    print_text(flags, rows);
  }
}

}  // namespace

std::string plan_document(const PlanFlags& flags, std::uint64_t users,
                          std::optional<double> target_error) {
  const PlanCommandFlags asked{flags, users, target_error, Format::kJson};
  return to_json(asked, make_rows(asked)).dump(2);
}

void add_plan(CLI::App& app) {
  const auto flags = std::make_shared<PlanCommandFlags>();
  CLI::App* command =
      app.add_subcommand("plan", "Predicted error of every protocol, and the recommended one");
  command->add_option("--users", flags->users, "how many users take part")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str()
      ->type_name("N");
  flags->plan.add_to(*command, false);
  command
      ->add_option("--target-error", flags->target_error,
                   "print the users needed for an rmse of this share of them, such as 0.01")
      ->check(CLI::Range(1e-6, 1.0))
      ->check(is_number)
      ->type_name("SHARE");
  add_delta(*command, flags->delta);
  add_format(*command, flags->format);
  add_rival_flags(*command, flags->rivals);
  command->footer(
      "Example: futurerand plan --users 1000000 --periods 1024 --changes 4 --epsilon 1 "
      "--target-error 0.01");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
