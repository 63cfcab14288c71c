// How large the errors of a plan of `pulse` will be, for each period in which a device may enter
// its state. In floating point; nothing here decides privacy. Variances are over the number of
// users. A class stands for all devices, so that it also matters which devices drew it.
//
// Thread safety: a plain value; const calls may run at once.
#pragma once

#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/law/shapes/pulse_law.hpp"

namespace futurerand {

// One class of devices, and its share of them.
struct PulseClass {
  PulseLaw law;
  double share;
};

// The information of one report of a class about its difference, if nobody changes.
double report_information(const PulseLaw& law);

class PulsePrediction {
 public:
  // Looks at about so many periods, or all if there are fewer. Requires at least two.
  PulsePrediction(const std::vector<PulseClass>& classes, Period num_periods, Period looks = 128);

  // Element t-1 is the variance at period t if devices enter in all periods equally often.
  std::vector<double> typical_variances() const;
  // The population whose mean variance over the looks is largest, of all in which devices enter at
  // most once. With 128 looks it is within 2.5% of the one over all periods.
  struct WorstPopulation {
    std::vector<double> entered;  // element s-1: the share that enters in period s; the last one:
                                  // that never does
    double mean_variance;
    double bound;  // no population has a larger one; seldom over 0.5% more than mean_variance
  };
  WorstPopulation worst_population() const;
  // By class: its part of the mean of the variances that PulseFilter states.
  const std::vector<double>& parts() const { return parts_; }

  // How many times the variance that PulseFilter states is true. entered[s-1] is the share of the
  // devices that entered in period s; the rest has not entered. Requires 1 <= t <= num_periods, and
  // t elements.
  double variance_ratio(Period t, const std::vector<double>& entered) const;

 private:
  struct Look {
    Period period;
    double stated;              // the filter's variance
    std::vector<double> noise;  // element s-1: of a device that entered in period s; the last one:
                                // of one that has not
    // By class and period of entry: what the class counts such a device as, on average. Over all
    // classes that is 1.
    std::vector<std::vector<float>> counted;
  };
  class MeanVariance;
  std::size_t look_at(Period t) const;
  // The share of the devices that entered in period s of the look is entered(s).
  template <typename Entered>
  double variance(const Look& look, Entered&& entered) const;

  Period num_periods_;
  std::vector<double> shares_;
  std::vector<Look> looks_;
  std::vector<double> parts_;
};

}  // namespace futurerand
