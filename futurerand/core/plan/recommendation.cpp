#include "futurerand/core/plan/recommendation.hpp"

#include "futurerand/core/plan/prediction.hpp"

namespace futurerand {

Result<Plan> recommended_plan(Period num_periods, std::uint32_t max_changes, Epsilon epsilon,
                              Initial initial, const Coding& coding) {
  // Its devices report every period; those of no other protocol do.
  Result<Plan> innovation =
      make_plan(Protocol::kInnovation, num_periods, max_changes, epsilon, initial, coding);
  if (innovation || coding.kind() != CodingKind::kYesNo) return innovation;
  return most_accurate_plan(num_periods, max_changes, epsilon, initial);
}

Result<Plan> most_accurate_plan(Period num_periods, std::uint32_t max_changes, Epsilon epsilon,
                                Initial initial, const Coding& coding) {
  Result<Plan> innovation =
      make_plan(Protocol::kInnovation, num_periods, max_changes, epsilon, initial, coding);
  if (coding.kind() != CodingKind::kYesNo) return innovation;  // no other protocol serves it
  Result<Plan> hybrid = make_plan(Protocol::kHybrid, num_periods, max_changes, epsilon, initial);
  if (!hybrid || !innovation) return hybrid;
  return predict_error(*innovation, 1).rmse < predict_error(*hybrid, 1).rmse ? innovation : hybrid;
}

}  // namespace futurerand
