// Estimator: counts from the sums of one protocol. There is one class for each way of reporting:
// innovation, hybrid, pulse, dyadic sum and values. make_estimator() alone tells protocols apart.
//
// Thread safety: a plain value; const calls may run at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/measurement.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

class InnovationEstimator;
class HybridEstimator;
class PulseEstimator;
class DyadicSumEstimator;
class ValueEstimator;

// For code other than estimates that depends on the way devices report.
class EstimatorVisitor {
 public:
  virtual void visit(const InnovationEstimator&) = 0;
  virtual void visit(const HybridEstimator&) = 0;
  virtual void visit(const PulseEstimator&) = 0;
  virtual void visit(const DyadicSumEstimator&) = 0;
  virtual void visit(const ValueEstimator&) = 0;

 protected:
  ~EstimatorVisitor() = default;
};

class Estimator {
 public:
  virtual ~Estimator() = default;
  virtual void accept(EstimatorVisitor& visitor) const = 0;
  // To start anew, copy a fresh estimator: making one takes milliseconds for some plans.
  virtual std::unique_ptr<Estimator> copy() const = 0;

  // Estimates the next period from the reports due at its end. The first call is for period 1.
  // `enrolled` is N_t, all devices enrolled by then (Sums::enrolled_by_period). Later calls ignore
  // reports that arrive after this one. To include late reports start anew, or use estimate().
  // Requires sums of the plan, and fewer calls so far than it has periods.
  PeriodEstimate advance(const Sums& sums, std::uint64_t enrolled) {
    ++period_;
    return to_estimate(period_, next(sums, static_cast<double>(enrolled)));
  }

  // Whether a kind gives the online estimates.
  virtual bool is_online(EstimatorKind) const { return true; }
  // Estimates periods 1..up_to from all reports due by up_to. Requires a kind that is not online.
  virtual std::vector<Measurement> smooth(const Sums& sums, EstimatorKind kind, Period up_to) const;

  // The contradiction between two parts of the reports of the last period, in standard deviations.
  // It is standard normal and independent of earlier ones if devices are honest and stay. None if
  // there is nothing to compare.
  virtual std::optional<double> last_contradiction() const { return std::nullopt; }
  // How many of them there are over the horizon at most.
  virtual Period num_contradictions() const { return 0; }

 protected:
  Estimator() = default;
  Estimator(const Estimator&) = default;
  Estimator& operator=(const Estimator&) = default;

  Period period() const { return period_; }  // the last period asked for

 private:
  virtual Measurement next(const Sums& sums, double enrolled) = 0;

  Period period_ = 0;
};

// Requires a valid plan.
std::unique_ptr<Estimator> make_estimator(const Plan& plan);

// Online estimates of periods 1..up_to by a fresh estimator.
std::vector<PeriodEstimate> run_online(Estimator& estimator, const Sums& sums, Period up_to);

}  // namespace futurerand
