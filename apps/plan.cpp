#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/commands.hpp"
#include "apps/failure.hpp"
#include "apps/flags.hpp"
#include "apps/plan_document.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/core/plan/prediction.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

struct PlanCommandFlags {
  PlanFlags plan;
  std::uint64_t users = 100'000;
  std::optional<double> target_error;
  Format format = Format::kText;
};

struct Row {
  Protocol protocol;
  std::string unavailable;  // why this protocol has no plan for these parameters
  PlanCertificate certificate{};
  std::optional<double> gap = {};  // where all views share one
  PredictedError error{};
  double users_needed = 0;
};

std::optional<double> common_gap(const PlanCertificate& certificate) {
  const double first = certificate.views.front().gap;
  for (const Certificate& view : certificate.views) {
    if (view.gap != first) return std::nullopt;
  }
  return first;
}

std::vector<Row> make_rows(const PlanCommandFlags& flags) {
  std::vector<Row> rows;
  for (const Protocol protocol : kProtocols) {
    Row row{protocol, {}};
    const Result<Plan> plan =
        make_plan(protocol, flags.plan.periods, flags.plan.changes, flags.plan.budget());
    if (plan) {
      row.certificate = or_bad_input(certify(*plan));
      row.gap = common_gap(row.certificate);
      row.error = predict_error(*plan, static_cast<double>(flags.users));
      // Errors grow with the root of the number of users, so as a share of the users they fall with
      // it: rmse(1) sqrt(n) <= share n.
      if (flags.target_error) {
        const double root = predict_error(*plan, 1).rmse / *flags.target_error;
        row.users_needed = std::ceil(root * root);
      }
    } else {
      row.unavailable = plan.error().message;
    }
    rows.push_back(row);
  }
  return rows;
}

const Row* best(const std::vector<Row>& rows) {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (!row.unavailable.empty() || !row.certificate.certified()) continue;
    if (best == nullptr || row.error.rmse < best->error.rmse) best = &row;
  }
  return best;
}

Json to_json(const PlanCommandFlags& flags, const std::vector<Row>& rows) {
  Json json = {{"users", flags.users},
               {"periods", flags.plan.periods},
               {"max_changes", flags.plan.changes},
               {"epsilon", flags.plan.budget().value()}};
  for (const Row& row : rows) {
    const bool has = row.unavailable.empty();
    const auto maybe = [has](double value) { return has ? Json(value) : Json(nullptr); };
    Json entry = {
        {"name", name_of(row.protocol)},
        {"sequence_private", has ? Json(row.certificate.certified()) : Json(nullptr)},
        {"online", true},
        {"gap", row.gap ? Json(*row.gap) : Json(nullptr)},
        {"exact_epsilon", maybe(row.certificate.exact_epsilon())},
        {"budget_spent", maybe(row.certificate.exact_epsilon() / flags.plan.budget().value())},
        {"predicted_rmse", maybe(row.error.rmse)},
        {"predicted_max_error", maybe(row.error.max_error)}};
    if (flags.target_error) entry["users_needed"] = maybe(row.users_needed);
    if (!has) entry["unavailable"] = row.unavailable;
    json["protocols"].push_back(entry);
  }
  const Row* recommended = best(rows);
  json["recommended"] = recommended ? Json(name_of(recommended->protocol)) : Json(nullptr);
  return json;
}

void print_text(const PlanCommandFlags& flags, const std::vector<Row>& rows) {
  fmt::print("{} users, {} periods, at most {} changes each, epsilon {} over the whole horizon\n\n",
             flags.users, flags.plan.periods, flags.plan.changes, flags.plan.budget().text());
  fmt::print("{:<12} {:>10} {:>14} {:>7} {:>12} {:>12}", "protocol", "gap", "exact epsilon",
             "spent", "rmse", "95% max");
  fmt::print("{}\n", flags.target_error ? fmt::format(" {:>14}", "users needed") : "");
  for (const Row& row : rows) {
    if (!row.unavailable.empty()) {
      fmt::print("{:<12} {}\n", name_of(row.protocol), row.unavailable);
      continue;
    }
    fmt::print("{:<12} {:>10} {:>14.9f} {:>6.1f}% {:>12.0f} {:>12.0f}", name_of(row.protocol),
               row.gap ? fmt::format("{:.6f}", *row.gap) : "by view",
               row.certificate.exact_epsilon(),
               100 * row.certificate.exact_epsilon() / flags.plan.budget().value(), row.error.rmse,
               row.error.max_error);
    fmt::print("{}\n", flags.target_error ? fmt::format(" {:>14.0f}", row.users_needed) : "");
  }
  if (const Row* recommended = best(rows))
    fmt::print("\nrecommended: {}\n", name_of(recommended->protocol));
}

// CLI::Range lets nan through: it is neither below nor above.
std::string is_number(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + " is not a number" : "";
}

void run(const PlanCommandFlags& flags) {
  const std::vector<Row> rows = make_rows(flags);
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
  add_format(*command, flags->format);
  command->footer(
      "Example: futurerand plan --users 1000000 --periods 1024 --changes 4 --epsilon 1 "
      "--target-error 0.01");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
