#include "apps/report/plan_document.hpp"

#include <nlohmann/json.hpp>

#include "apps/report/over_changes.hpp"

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
  if (flags.liars) {
    json["liars_move_last"] = or_null(row.liars_move_last);
    json["liars_move_most"] = or_null(row.liars_move_most);
  }
  if (!has) json["unavailable"] = row.unavailable;
  return json;
}

}  // namespace

std::string plan_document(const PlanCommandFlags& flags, const std::vector<PlanRow>& rows) {
  Json json = {{"users", flags.users},
               {"periods", flags.plan.periods},
               {"max_changes", flags.plan.changes},
               {"epsilon", flags.plan.budget().value()},
               {"delta", flags.delta},
               {"estimator", name_of(flags.estimator)}};
  if (flags.estimator == EstimatorKind::kTrend) json["drift"] = flags.drift;
  for (const PlanRow& row : rows) json["protocols"].push_back(to_json(flags, row));
  if (flags.liars) json["liars"] = *flags.liars;
  if (const std::optional<OverChanges> over = over_changes(flags)) {
    json["values"] = {{"users", over->users}, {"over_max_changes", over->over}};
  }
  const PlanRow* best = recommended(rows);
  json["recommended"] = best ? Json(best->name) : Json(nullptr);
  if (std::string warning = plan_warning(flags, rows); !warning.empty()) {
    json["warning"] = std::move(warning);
  }
  return json.dump(2);
}

}  // namespace futurerand::apps
