// DeviceEstimate: what one device's own reports say of it. active.md has the proofs.
//
//   psi(t) = offset(age) + sum over s = joined .. t of weight(t - s) report_s      age = t - joined
//   + 1
//
// Given the device's values, psi(t) has the mean x(t), whatever makes the device leave, except its
// own noise. With a cap psi(t) is clipped at the limits for its age (contribution_cap.hpp).
//
// All in whole units, so that adding up in any order gives the same, and what was added can be
// taken out again. A unit is 2^-27 of a device for epsilon 1 and 256 periods, and always so large
// that no |psi| reaches 2^33 units: the sum of 2^30 devices fits into 64 bits, whatever they
// report. psi is rounded once, after it is added up in finer units, so that it is off by at most
// 2^-34 of the largest |psi|. That is below 2^-20 of a device unless reports weigh more than
// 2^14 devices (epsilon far below 0.01).
//
// A transcript is looked at eight reports at a time, back to the period of joining.
//
// Thread safety: constant once made; anyone may ask.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/presence/transcript.hpp"

namespace futurerand {

class DeviceEstimate {
 public:
  // Null if devices of the plan report too rarely (inactive.hpp). Those of the same law, horizon
  // and cap are made once and shared, for as long as somebody has them.
  static std::shared_ptr<const DeviceEstimate> of(const Plan& plan, bool capped);

  struct Value {
    std::int64_t units = 0;
    bool clipped = false;
  };
  // Returns psi(t). Requires transcript.joined <= t < transcript.next.
  Value at(const Transcript& transcript, Period t) const;
  // Returns the variance of psi of this age if no report is a zero symbol, in units of its own.
  std::int64_t variance(Period age) const { return variances_[age - 1]; }

  // Half a device, in units of psi.
  std::int64_t half() const { return half_; }

  double devices(std::int64_t units) const { return static_cast<double>(units) * unit_; }
  double squared_devices(std::int64_t units) const {
    return static_cast<double>(units) * variance_unit_;
  }

  Period num_periods() const { return static_cast<Period>(all_plus_.size()); }
  bool has_zeros() const { return has_zeros_; }
  bool is_capped() const { return !most_units_.empty(); }
  // The largest |psi(t)| that is counted, whenever the device joined, in devices.
  double most(Period t) const { return most_[t - 1]; }
  // By how many devices for each honest one the cap makes the count of period t wrong at most. 0
  // without a cap.
  double bias(Period t) const { return bias_[t - 1]; }
  // weight(j) and the mean square of a report that says nothing, which is 1 without zero symbols.
  const std::vector<double>& weights() const { return weights_; }
  double least_square() const { return least_square_; }

 private:
  DeviceEstimate(const Plan& plan, bool capped);

  // The sum of the weights of the reports up to t whose bits are set, in fine units.
  std::int64_t weights_of(const std::uint64_t* words, Period joined, Period t) const;

  bool has_zeros_;
  double least_square_;
  double unit_, variance_unit_;  // in devices, and in their squares
  std::int64_t half_;
  std::vector<double> weights_;  // element j is weight(j), in devices
  std::vector<double> most_, bias_;
  // By age; element 0 is age 1.
  std::vector<std::int64_t> all_plus_;                  // psi if all reports are plus; fine units
  std::vector<std::int64_t> most_units_, least_units_;  // limits of psi; empty without a cap
  std::vector<std::int64_t> variances_;
  // Element 256 c + byte: the sum of the weights at lags 8c .. 8c+7 whose bits are set, the highest
  // bit first; fine units.
  std::vector<std::int64_t> table_;
};

}  // namespace futurerand
