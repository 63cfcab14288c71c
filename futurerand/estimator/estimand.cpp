#include "futurerand/estimator/estimand.hpp"

namespace futurerand {

std::string_view name_of(Estimand estimand) {
  return estimand == Estimand::kActive ? "active" : "enrolled";
}

std::optional<Estimand> estimand_named(std::string_view name) {
  for (const Estimand estimand : {Estimand::kActive, Estimand::kEnrolled}) {
    if (name_of(estimand) == name) return estimand;
  }
  return std::nullopt;
}

std::string counted_in_words(Estimand estimand, Period inactive_after) {
  if (estimand == Estimand::kEnrolled) return "all devices that ever enrolled, inactive or not";
  return "devices that were active in that period (a device is inactive once a due report "
         "is missing for " +
         std::to_string(inactive_after) + " periods)";
}

std::string assumption_of(Estimand estimand, EstimatorKind kind) {
  if (estimand == Estimand::kEnrolled) return std::string(assumption_of(kind));
  const std::string moves = kind == EstimatorKind::kTrend
                                ? "the share of active devices that hold 1 moves as a random walk "
                                  "of one step size, fitted "
                                  "to the reports; sudden jumps are smoothed away"
                                : "none on how the count moves, nor on why devices leave";
  return moves +
         "; late devices, which are not inactive yet, are unchanged since their last report";
}

}  // namespace futurerand
