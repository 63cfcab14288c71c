// DyadicSumEstimator, the paper's estimate: the prefix 1..t as a sum of dyadic intervals, each
// scaled by (1 + log d)/c. [OWW22] Alg. 2. In the paper everyone reports. Here received reports
// stand for missing ones, interval by interval: a missing report is not 0.
//
// Thread safety: as Estimator.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "futurerand/estimator/estimator.hpp"

namespace futurerand {

class DyadicSumEstimator final : public Estimator {
 public:
  // Requires a valid plan of the paper's framework: one view an order, all with the same law.
  explicit DyadicSumEstimator(const Plan& plan) : gap_(to_double(gap(plan.views.front().law))) {}

  void accept(EstimatorVisitor& visitor) const override { visitor.visit(*this); }
  std::unique_ptr<Estimator> copy() const override {
    return std::make_unique<DyadicSumEstimator>(*this);
  }

 private:
  // Undetermined if an interval has devices and no reports.
  Measurement next(const Sums& sums, double enrolled) override;

  double gap_;
  std::vector<std::vector<std::uint64_t>> joined_;  // [view][t-1]: devices joined by t
};

}  // namespace futurerand
