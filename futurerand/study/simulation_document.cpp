#include "futurerand/study/simulation_document.hpp"

#include <cmath>

#include <fmt/core.h>

#include "futurerand/documents/too_noisy.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"
#include "futurerand/simulator/error_statistics.hpp"
#include "futurerand/study/over_changes.hpp"
#include "futurerand/study/season_budget.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities: an undetermined figure is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
// A whole one, as of yes/no, is written without a fraction.
Json true_count(double count) {
  return count == std::floor(count) ? Json(static_cast<std::uint64_t>(count)) : Json(count);
}
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json to_json(const SimulatedPeriod& at) {
  return {{"period", at.period},
          {"truth", true_count(at.truth)},
          {"estimate", number(at.estimate)},
          {"stddev", number(at.stddev)},
          {"lower", number(at.band.lower)},
          {"upper", number(at.band.upper)},
          {"bias", number(at.bias)},
          {"bias_z", number(at.bias_z)}};
}

}  // namespace

Json to_json(const SimulationQuestion& question, std::uint64_t num_users,
             const TimedResult& timed) {
  const SimulationResult& result = timed.result;
  const ProtocolTraits& traits = result.traits;
  const std::optional<Band> interval = rmse_interval(result.squared_errors, question.level);
  Json json = {
      {"protocol", traits.name},
      {"users", num_users},
      {"periods", question.periods},
      {"max_changes", question.changes},
      {"initial", name_of(question.initial)},
      {"value_kind", name_of(question.value)},
      {"epsilon", question.epsilon.value()},
      {"population", question.source()},
      {"engine", name_of(question.engine)},
      {"estimator", name_of(question.estimator)},
      {"level", question.level},
      {"seeded", question.seed.has_value()},
      // The seed is text, because a number above 2^53 does not survive many readers of JSON.
      {"seed", question.seed ? Json(std::to_string(*question.seed)) : Json(nullptr)},
      {"guarantee", name_of(traits.guarantee)},
      {"sequence_private", traits.guarantee == Guarantee::kWholeSequence},
      {"online", traits.online},
      {"bits_per_user", traits.bits_per_user},
      {"first_answer", traits.first_answer},
      {"note", text_or_null(traits.note)},
      {"trials", result.trials},
      {"rmse", number(result.rmse)},
      {"rmse_lower", interval ? Json(interval->lower) : Json(nullptr)},
      {"rmse_upper", interval ? Json(interval->upper) : Json(nullptr)},
      {"max_error", number(result.undetermined < 1 ? result.max_error : NAN)},
      {"predicted_rmse", result.predicted_rmse ? number(*result.predicted_rmse) : Json(nullptr)},
      {"clipping_bias", result.clipping_bias ? number(*result.clipping_bias) : Json(nullptr)},
      {"band_coverage", number(result.band_coverage)},
      {"undetermined", result.undetermined},
      {"clipped_users", result.clipped_users},
      {"alarms", result.alarms},
      {"warning", text_or_null(too_noisy(num_users, typical_band(result), question.level))},
      {"seconds", timed.seconds}};
  if (result.clipping_bias.value_or(0) > 0) {
    const BiasOf bias = summarize_bias(traits.name, result.expected_bias);
    json["clipping"] = {{"share", result.clipped_users / static_cast<double>(num_users)},
                        {"mean_bias", number(bias.mean)},
                        {"largest_bias", number(bias.largest)},
                        {"period", bias.period}};
  }
  if (!result.figures.empty()) {
    // All labels of the last period; `series` has one of them over time.
    json["shown"] = result.figure_names[result.shown];
    Json& last = json["last_period"] = Json::array();
    const std::size_t count = result.figure_names.size();
    for (std::size_t i = 0; i < count; ++i) {
      Json row = {{"label", result.figure_names[i]}};
      row.update(to_json(result.figures[result.figures.size() - count + i]));
      last.push_back(std::move(row));
    }
  }
  Json& series = json["series"] = Json::array();
  for (const SimulatedPeriod& at : result.periods) series.push_back(to_json(at));
  if (!question.keep_trials) return json;
  Json& trials = json["trial_estimates"] = Json::array();
  for (const std::vector<double>& estimates : result.by_trial) {
    Json& row = trials.emplace_back(Json::array());
    for (const double estimate : estimates) row.push_back(number(estimate));
  }
  return json;
}

Json to_json(const SimulationQuestion& question, const SimulationAnswer& answer) {
  Json json = to_json(question, answer.num_users, answer.timed);
  if (const auto calendar = question.calendar(); calendar && *calendar) {
    json["seasons"] = {
        {"every", (*calendar)->every()},
        {"rest", (*calendar)->rest()},
        {"cycles", question.cycles},
        {"share_sd_times_root_users",
         number(answer.timed.result.rmse / std::sqrt(static_cast<double>(answer.num_users)))},
        {"step_noise_ratio",
         answer.step_noise_ratio ? number(*answer.step_noise_ratio) : Json(nullptr)}};
    put_budget(SeasonBudget::of(**calendar, question.epsilon), json["seasons"]);
  }
  if (!answer.has_churn) return json;
  json["lives"] = describe(*question.churn_pattern());
  json["estimand"] = name_of(answer.estimand);
  json["counted"] = counted_in_words(answer.estimand, question.inactive_after);
  if (const std::optional<double> bias = answer.timed.result.cap_bias) {
    json["transcript_cap"] = {{"rate", kCapRate}, {"bias_at_most", *bias}};
  }
  if (answer.moved) {
    json["moved"] = {{"liars", answer.moved->liars},
                     {"period", answer.moved->period},
                     {"each", answer.moved->each},
                     {"at_most", answer.moved->most},
                     {"alarms_by", answer.timed.result.alarms_by}};
  }
  return json;
}

Json to_json(const SimulationQuestion& question, const ComparisonAnswer& answer) {
  Json json = {{"results", Json::array()}, {"unavailable", Json::array()}};
  for (const TimedResult& timed : answer.results) {
    json["results"].push_back(to_json(question, answer.num_users, timed));
  }
  for (const Unavailable& missing : answer.unavailable) {
    json["unavailable"].push_back({{"protocol", missing.protocol}, {"reason", missing.reason}});
  }
  return json;
}

double typical_band(const SimulationResult& result) {
  std::vector<double> widths;
  for (const SimulatedPeriod& at : result.periods) {
    if (std::isfinite(at.band.upper)) widths.push_back(at.band.upper - at.band.lower);
  }
  return median(std::move(widths));
}

std::string describe(const ChurnPattern& churn) {
  std::string text = "joining " + std::string(name_of(churn.joining));
  if (churn.dropout > 0) {
    text += fmt::format(", {:g}% leave after each period", 100 * churn.dropout);
    if (churn.dropout_factor != 1) {
      text += fmt::format(" ({:g} times as many while holding 1)", churn.dropout_factor);
    }
  }
  if (churn.offline > 0) text += fmt::format(", {:g}% offline at any time", 100 * churn.offline);
  if (churn.liars > 0) {
    text += fmt::format(", {:g}% lie ({})", 100 * churn.liars, name_of(churn.attack));
  }
  return text;
}

}  // namespace futurerand
