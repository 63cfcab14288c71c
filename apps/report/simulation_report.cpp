#include "apps/report/simulation_report.hpp"

#include <cmath>

#include <fmt/core.h>

#include "apps/report/chart.hpp"

namespace futurerand::apps {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities: what is undetermined is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

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
      {"guarantee", name_of(traits.guarantee)},
      {"sequence_private", traits.guarantee == Guarantee::kWholeSequence},
      {"online", traits.online},
      {"bits_per_user", traits.bits_per_user},
      {"first_answer", traits.first_answer},
      {"note", traits.note.empty() ? Json(nullptr) : Json(traits.note)},
      {"trials", result.trials},
      {"rmse", number(result.rmse)},
      {"max_error", number(result.max_error)},
      {"predicted_rmse", result.predicted_rmse ? number(*result.predicted_rmse) : Json(nullptr)},
      {"clipping_bias", result.clipping_bias ? number(*result.clipping_bias) : Json(nullptr)},
      {"band_coverage", number(result.band_coverage)},
      {"undetermined", result.undetermined},
      {"clipped_users", result.clipped_users},
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
      "{} users ({}), {} periods, at most {} changes each, epsilon {} over the whole horizon;\n"
      "{} trials of engine {}{}",
      with_commas(static_cast<double>(num_users)), flags.source(), flags.plan.periods,
      flags.plan.changes, flags.plan.budget().text(), flags.trials, flags.engine,
      flags.seed ? std::string("; ") + kSeededNote : "");
}

std::string draw_chart(const SimulationResult& result, double level) {
  std::vector<ChartPoint> points;
  for (const SimulatedPeriod& at : result.periods) {
    points.push_back({static_cast<double>(at.truth), at.estimate, at.band.lower, at.band.upper});
  }
  return draw_chart(points, level);
}

}  // namespace futurerand::apps
