// ValueEstimator: counts of plans whose devices report their value itself (`snapshot`, `repeated`,
// `once`). Each period is estimated from its own reports alone, except in `once`: a device reports
// its value on joining, so all reports up to a period count. They stand for all devices enrolled by
// then.
//
// Thread safety: as Estimator.
#pragma once

#include "futurerand/estimator/estimator.hpp"

namespace futurerand {

class ValueEstimator final : public Estimator {
 public:
  // Requires a valid plan of `snapshot`, `repeated` or `once`.
  explicit ValueEstimator(const Plan& plan)
      : gap_(to_double(gap(plan.views.front().law))),
        adds_up_(plan.views.front().kind == ViewKind::kOnce) {}

  void accept(EstimatorVisitor& visitor) const override { visitor.visit(*this); }
  std::unique_ptr<Estimator> copy() const override {
    return std::make_unique<ValueEstimator>(*this);
  }
  // Returns the reports that the last call used.
  const IndexSum& last_reports() const { return reports_; }

 private:
  Measurement next(const Sums& sums, double enrolled) override {
    reports_ = adds_up_ ? reports_ + sums.at(0, period()) : sums.at(0, period());
    return measure_value(reports_, enrolled, gap_);
  }

  double gap_;
  bool adds_up_;
  IndexSum reports_;  // that the last call used
};

}  // namespace futurerand
