#include "futurerand/core/plan/recommendation.hpp"

#include <cmath>

#include "futurerand/core/plan/prediction.hpp"
#include "futurerand/core/plan/pulse_design.hpp"

namespace futurerand {
namespace {

// Nothing errs less for a fact that never changes.
Result<Plan> once_for(Period num_periods, std::uint32_t max_changes, Epsilon epsilon,
                      Initial initial, const Coding& coding) {
  return make_plan(Protocol::kOnce, num_periods, max_changes, epsilon, initial, coding);
}

}  // namespace

Result<Plan> recommended_plan(Period num_periods, std::uint32_t max_changes, Epsilon epsilon,
                              Initial initial, const Coding& coding) {
  // A fact that never changes is told once. Who is active is then not known.
  if (Result<Plan> once = once_for(num_periods, max_changes, epsilon, initial, coding)) return once;
  // Its devices report every period; those of no other protocol do.
  Result<Plan> innovation =
      make_plan(Protocol::kInnovation, num_periods, max_changes, epsilon, initial, coding);
  if (innovation || coding.kind() != CodingKind::kYesNo) return innovation;
  return most_accurate_plan(num_periods, max_changes, epsilon, initial);
}

Result<Plan> most_accurate_plan(Period num_periods, std::uint32_t max_changes, Epsilon epsilon,
                                Initial initial, const Coding& coding) {
  if (Result<Plan> once = once_for(num_periods, max_changes, epsilon, initial, coding)) return once;
  Result<Plan> innovation =
      make_plan(Protocol::kInnovation, num_periods, max_changes, epsilon, initial, coding);
  if (coding.kind() != CodingKind::kYesNo) return innovation;  // no other protocol serves it
  Result<Plan> hybrid = make_plan(Protocol::kHybrid, num_periods, max_changes, epsilon, initial);
  if (!hybrid || !innovation) return hybrid;
  const double with_innovation = predict_error(*innovation, 1).rmse;
  const double with_hybrid = predict_error(*hybrid, 1).rmse;
  Result<Plan> pulse = make_plan(Protocol::kPulse, num_periods, max_changes, epsilon, initial);
  const bool is_best = pulse && pulse_errs_less(*pulse, with_innovation) &&
                       predict_error(*pulse, 1).rmse < with_hybrid;
  if (is_best) return pulse;
  return with_innovation < with_hybrid ? innovation : hybrid;
}

bool pulse_errs_less(const Plan& pulse, double rmse) {
  const PulsePrediction predicted(pulse_classes(pulse), pulse.num_periods);
  return std::sqrt(predicted.worst_population().bound) < rmse &&
         summarize(predicted.typical_variances()).rmse < rmse;
}

}  // namespace futurerand
