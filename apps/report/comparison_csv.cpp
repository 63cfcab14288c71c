#include <cmath>

#include <fmt/core.h>

#include "apps/report/comparison.hpp"

namespace futurerand::apps {

std::string csv_header() {
  return "protocol,users,periods,max_changes,epsilon,trials,rmse,max_error,predicted_rmse,"
         "band_coverage,bits_per_user,first_answer,guarantee,seconds,online,clipping_bias";
}

std::string csv_row(const Comparison& comparison, const TimedResult& timed) {
  const SimulationResult& result = timed.result;
  const auto cell = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", result.traits.name, comparison.num_users,
      comparison.flags.plan.periods, comparison.flags.plan.changes,
      comparison.flags.plan.budget().text(), result.trials, cell(result.rmse),
      cell(has_answer(result) ? result.max_error : NAN),
      result.predicted_rmse ? fmt::format("{}", *result.predicted_rmse) : "",
      cell(result.band_coverage), result.traits.bits_per_user, result.traits.first_answer,
      name_of(result.traits.guarantee), timed.seconds, result.traits.online,
      result.clipping_bias ? fmt::format("{}", *result.clipping_bias) : "");
}

std::string csv_row(const Comparison& comparison, const Unavailable& missing) {
  return fmt::format("{},{},{},{},{},,,,,,,,,,,", missing.protocol, comparison.num_users,
                     comparison.flags.plan.periods, comparison.flags.plan.changes,
                     comparison.flags.plan.budget().text());
}

}  // namespace futurerand::apps
