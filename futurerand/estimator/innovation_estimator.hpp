// InnovationEstimator: counts of an `innovation` plan. Its hindsight is its online estimate
// (innovation.hpp), and `trend` smooths that.
//
// Thread safety: as Estimator.
#pragma once

#include "futurerand/estimator/estimator.hpp"
#include "futurerand/estimator/innovation.hpp"
#include "futurerand/estimator/innovation_trend.hpp"

namespace futurerand {

class InnovationEstimator final : public Estimator {
 public:
  // Requires a valid plan of `innovation`.
  explicit InnovationEstimator(const Plan& plan) : plan_(plan), counts_(plan) {}

  void accept(EstimatorVisitor& visitor) const override { visitor.visit(*this); }
  std::unique_ptr<Estimator> copy() const override {
    return std::make_unique<InnovationEstimator>(*this);
  }
  bool is_online(EstimatorKind kind) const override { return kind != EstimatorKind::kTrend; }
  std::vector<Measurement> smooth(const Sums& sums, EstimatorKind, Period up_to) const override {
    return innovation_trend(gather_innovation(plan_, sums, up_to));
  }

 private:
  Measurement next(const Sums& sums, double enrolled) override {
    return counts_.advance(sums.at(0, period()), enrolled);
  }

  Plan plan_;
  InnovationCounts counts_;
};

}  // namespace futurerand
