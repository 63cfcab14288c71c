// PulseEstimator: counts of a `pulse` plan, one period after the other, by PulseFilter. The
// variance is that of the law for the estimated entries. core/law/pulse.md.
//
// Thread safety: as Estimator.
#pragma once

#include <memory>
#include <vector>

#include "futurerand/core/plan/pulse_filter.hpp"
#include "futurerand/core/plan/pulse_prediction.hpp"
#include "futurerand/estimator/estimator.hpp"

namespace futurerand {

class PulseEstimator final : public Estimator {
 public:
  // Requires a valid plan of `pulse`.
  explicit PulseEstimator(const Plan& plan);

  void accept(EstimatorVisitor& visitor) const override { visitor.visit(*this); }
  std::unique_ptr<Estimator> copy() const override {
    return std::make_unique<PulseEstimator>(*this);
  }

  // By how many devices one more device of a view, enrolled in the first period, moves the last
  // estimate at most, if it sends the worst pulses, as many as it may have or fewer. An upper
  // bound.
  struct Moves {
    double up;
    double down;
  };
  Moves one_device_moves(std::uint32_t view) const;

 private:
  struct Source {
    double outside;        // the share of reports that are pulses if nobody changes
    double gap;            // by how much it rises if all changed in the window
    double information;    // of one report
    std::uint32_t pulses;  // that a device has
  };
  // The effect of one more report of a period.
  struct Reported {
    double information = 0;  // of the difference
    double by_pulse = 0;     // by how much a pulse moves the difference, and by how much none does
    double by_none = 0;
  };
  Measurement next(const Sums& sums, double enrolled) override;
  double variance_ratio(double enrolled) const;

  std::vector<Source> sources_;  // by class
  std::shared_ptr<const PulsePrediction> prediction_;
  PulseFilter filter_;
  std::vector<double> counts_;                   // by period since the first device enrolled
  std::vector<std::vector<Reported>> reported_;  // by class and such a period
};

}  // namespace futurerand
