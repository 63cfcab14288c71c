#include "futurerand/study/plan_document.hpp"

#include <nlohmann/json.hpp>

namespace futurerand {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const PlanQuestion& question, const PlanRow& row) {
  const bool has = row.unavailable.empty();
  const double budget = question.epsilon.value();
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
  if (question.target_error) json["users_needed"] = or_null(row.users_needed);
  if (question.liars) {
    json["liars_move_last"] = or_null(row.liars_move_last);
    json["liars_move_most"] = or_null(row.liars_move_most);
    json["liars_unnoticed"] = or_null(row.liars_unnoticed);
    json["liars_move_unnoticed"] = or_null(row.liars_move_unnoticed);
    json["liars_move_capped"] = or_null(row.liars_move_capped);
    json["cap_bias"] = or_null(row.cap_bias);
    json["liars_beyond_unnoticed"] = or_null(row.liars_beyond_unnoticed);
  }
  if (!has) json["unavailable"] = row.unavailable;
  return json;
}

Json to_json(const ValuePlan& plan) {
  Json json = {{"recommended_max_changes", plan.choices[plan.best].max_changes}};
  for (const ValueChoice& choice : plan.choices) {
    json["choices"].push_back({{"max_changes", choice.max_changes},
                               {"noise", choice.noise},
                               {"mean_noise", choice.mean_noise},
                               {"loss", choice.loss},
                               {"error", choice.error}});
  }
  for (const auto& [share, devices] : plan.devices_for_share) {
    json["devices_for_share"].push_back({{"share", share}, {"devices", devices}});
  }
  return json;
}

// Both figures, in any window and in a life, are stated wherever either is.
void put_seasons(const PlanQuestion& question, const SeasonPlan& plan, Json& json) {
  json["window"] = *question.window;
  json["life"] = question.life;
  json["change_every"] = question.change_every;
  json["resolution"] = question.resolution;
  const double epsilon = question.epsilon.value();
  for (const SeasonChoice& choice : plan.choices) {
    json["seasons"].push_back(
        {{"periods", choice.calendar.season()},
         {"every", choice.calendar.every()},
         {"rest", choice.calendar.rest()},
         {"protocol", name_of(choice.protocol)},
         {"max_changes", choice.max_changes},
         {"predicted_share_sd", choice.share_sd},
         {"epsilon_in_window", epsilon * static_cast<double>(choice.in_window)},
         {"epsilon_in_life", epsilon * static_cast<double>(choice.in_life)}});
  }
  json["recommended_season"] = plan.choices[plan.best].calendar.season();
}

Json to_json(const PlanQuestion& question, const SegmentPlan& plan) {
  Json json = {{"name", question.segments.name()},
               {"target_error", plan.target_error},
               {"smallest_devices", plan.smallest_devices},
               {"smallest_share", plan.smallest_share}};
  for (const SegmentChoice& segment : plan.segments) {
    json["values"].push_back({{"segment", segment.name},
                              {"share", segment.share},
                              {"devices", segment.devices},
                              {"predicted_rmse", segment.rmse},
                              {"predicted_share_error", segment.share_error}});
  }
  return json;
}

}  // namespace

std::string plan_document(const PlanQuestion& question, const std::vector<PlanRow>& rows,
                          const std::optional<OverChanges>& over,
                          const std::optional<ValuePlan>& values,
                          const std::optional<SeasonPlan>& seasons,
                          const std::optional<SegmentPlan>& segments) {
  Json json = {{"users", question.users},
               {"periods", question.periods},
               {"max_changes", question.changes},
               {"epsilon", question.epsilon.value()},
               {"delta", question.delta},
               {"estimator", name_of(question.estimator)},
               {"estimand", name_of(question.estimand)}};
  if (question.estimator == EstimatorKind::kTrend) json["drift"] = question.drift;
  for (const PlanRow& row : rows) json["protocols"].push_back(to_json(question, row));
  if (question.liars) json["liars"] = *question.liars;
  if (over) {
    json["values"] = {{"users", over->users}, {"over_max_changes", over->over}};
    for (const BiasOf& bias : over->bias) {
      json["values"]["bias"].push_back({{"protocol", bias.protocol},
                                        {"mean", bias.mean},
                                        {"largest", bias.largest},
                                        {"period", bias.period}});
    }
  }
  if (values) json["value_plan"] = to_json(*values);
  if (seasons) put_seasons(question, *seasons, json);
  if (segments) json["segments"] = to_json(question, *segments);
  const PlanRow* best = recommended(question, rows);
  json["recommended"] = best ? Json(best->name) : Json(nullptr);
  if (std::string warning = plan_warning(question, rows); !warning.empty()) {
    json["warning"] = std::move(warning);
  }
  return json.dump(2);
}

}  // namespace futurerand
