// ValueEstimator: counts of plans whose devices report their value itself (`snapshot`, `repeated`).
// Each period is estimated from its own reports alone.
//
// Thread safety: as Estimator.
#pragma once

#include "futurerand/estimator/estimator.hpp"

namespace futurerand {

class ValueEstimator final : public Estimator {
 public:
  // Requires a valid plan of `snapshot` or `repeated`.
  explicit ValueEstimator(const Plan& plan) : gap_(to_double(gap(plan.views.front().law))) {}

  void accept(EstimatorVisitor& visitor) const override { visitor.visit(*this); }
  std::unique_ptr<Estimator> copy() const override {
    return std::make_unique<ValueEstimator>(*this);
  }

 private:
  Measurement next(const Sums& sums, double enrolled) override {
    return measure_value(sums.at(0, period()), enrolled, gap_);
  }

  double gap_;
};

}  // namespace futurerand
