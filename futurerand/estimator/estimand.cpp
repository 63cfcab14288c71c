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

std::string counted_in_words(Estimand estimand, EstimatorKind kind, const GoneWords& gone) {
  if (estimand == Estimand::kEnrolled) return "all devices that ever enrolled, gone or not";
  const std::string when = std::string("a device is gone once ") +
                           (gone.heartbeats ? "its heartbeats are" : "a report that it owes is") +
                           " missing for " + std::to_string(gone.gone_after) + " periods";
  if (kind != EstimatorKind::kOnline) {
    return "the history of the devices that are active now (" + when + ")";
  }
  const Period step = leaving_step(gone.num_periods, gone.heartbeats);
  return "devices that were active in that period (" + when +
         (step == 1 ? ")"
                    : ", and then counts as gone from the beginning of the " +
                          std::to_string(step) + " periods in which it left)");
}

std::string assumption_of(Estimand estimand, EstimatorKind kind, const GoneWords& gone) {
  if (estimand == Estimand::kEnrolled) return std::string(assumption_of(kind));
  std::string assumption =
      kind == EstimatorKind::kTrend
          ? "the share of the devices active now that held 1 moves as a random walk of one step "
            "size, fitted to the reports; sudden jumps are smoothed away; "
          : "none on how the count moves, nor on why devices leave; ";
  assumption += "those late for the newest period are so whatever their value";
  // Innovation of newcomers is scaled apart; reports of several views are not.
  if (gone.heartbeats) assumption += " and age";
  if (kind == EstimatorKind::kOnline && gone.gone_after > kMinGoneAfter) {
    assumption += "; those late for longer, but not gone, hold what they held when last heard";
  } else if (gone.gone_after > kMinGoneAfter) {
    assumption += ", and so are those late for longer, but not gone";
  }
  return assumption;
}

}  // namespace futurerand
