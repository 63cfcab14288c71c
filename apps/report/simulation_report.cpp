#include "apps/report/simulation_report.hpp"

#include <cmath>

#include <fmt/core.h>

#include "apps/cli/words.hpp"
#include "apps/report/chart.hpp"
#include "apps/report/drowned.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities: what is undetermined is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

Json to_json(const SimulationFlags& flags, std::uint64_t num_users, const TimedResult& timed) {
  const SimulationResult& result = timed.result;
  const ProtocolTraits& traits = result.traits;
  Json json = {
      {"protocol", traits.name},
      {"users", num_users},
      {"periods", flags.plan.periods},
      {"max_changes", flags.plan.changes},
      {"epsilon", flags.plan.budget().value()},
      {"population", flags.source()},
      {"engine", flags.engine},
      {"estimator", flags.estimator.estimator},
      {"level", flags.estimator.level},
      {"seeded", flags.seed.has_value()},
      // The seed is text, because a number above 2^53 does not survive many readers of JSON.
      {"seed", flags.seed ? Json(std::to_string(*flags.seed)) : Json(nullptr)},
      {"guarantee", name_of(traits.guarantee)},
      {"sequence_private", traits.guarantee == Guarantee::kWholeSequence},
      {"online", traits.online},
      {"bits_per_user", traits.bits_per_user},
      {"first_answer", traits.first_answer},
      {"note", text_or_null(traits.note)},
      {"trials", result.trials},
      {"rmse", number(result.rmse)},
      {"max_error", number(result.max_error)},
      {"predicted_rmse", result.predicted_rmse ? number(*result.predicted_rmse) : Json(nullptr)},
      {"clipping_bias", result.clipping_bias ? number(*result.clipping_bias) : Json(nullptr)},
      {"band_coverage", number(result.band_coverage)},
      {"undetermined", result.undetermined},
      {"clipped_users", result.clipped_users},
      {"alarms", result.alarms},
      {"warning", text_or_null(drowned(num_users, typical_band(result), flags.estimator.level))},
      {"seconds", timed.seconds}};
  Json& series = json["series"] = Json::array();
  for (const SimulatedPeriod& at : result.periods) {
    series.push_back({{"period", at.period},
                      {"truth", at.truth},
                      {"estimate", number(at.estimate)},
                      {"stddev", number(at.stddev)},
                      {"lower", number(at.band.lower)},
                      {"upper", number(at.band.upper)},
                      {"bias", number(at.bias)},
                      {"bias_z", number(at.bias_z)}});
  }
  return json;
}

std::string guarantee_text(const ProtocolTraits& traits) {
  std::string text(name_of(traits.guarantee));
  if (!traits.online) text += ", offline";
  return text + (traits.note.empty() ? "" : "; " + traits.note);
}

std::string first_answer(const ProtocolTraits& traits) {
  return traits.online ? fmt::format("period {}", traits.first_answer) : "after all";
}

std::string describe(const SimulationFlags& flags, std::uint64_t num_users) {
  return fmt::format(
      "{} ({}), {}, at most {} each, epsilon {} over the whole horizon;\n{}, engine {}{}",
      counted(num_users, "user"), flags.source(), counted(flags.plan.periods, "period"),
      counted(flags.plan.changes, "change"), flags.plan.budget().text(),
      counted(flags.trials, "trial"), flags.engine,
      flags.seed ? fmt::format("; seed {}, {}", *flags.seed, kSeededNote) : "");
}

double typical_band(const SimulationResult& result) {
  std::vector<double> widths;
  for (const SimulatedPeriod& at : result.periods) {
    if (std::isfinite(at.band.upper)) widths.push_back(at.band.upper - at.band.lower);
  }
  return median(std::move(widths));
}

std::string draw_chart(const SimulationResult& result, double level) {
  std::vector<ChartPoint> points;
  for (const SimulatedPeriod& at : result.periods) {
    points.push_back({static_cast<double>(at.truth), at.estimate, at.band.lower, at.band.upper});
  }
  return draw_chart(points, level);
}

}  // namespace futurerand::apps
