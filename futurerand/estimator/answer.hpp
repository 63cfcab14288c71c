// Answer: what the reports of one metric say. Every count that people see is decided here: the HTTP
// API, its events, the commands and Python ask a Question and print the Answer.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/estimand.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/robustness/self_check.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// What a fold of reports gives.
struct Folded {
  const Sums& sums;
  const Presence* presence = nullptr;  // null: active devices are not known
  Period current = 0;                  // the current period; those before it are over
};

struct Question {
  EstimatorKind estimator = EstimatorKind::kOnline;
  std::optional<Estimand> estimand = {};  // none: active devices where they are known
  Period inactive_after = kDefaultInactiveAfter;
  double level = 0.95;  // of the bands, between 0 and 1
  bool simultaneous = false;
  // Rows outside are left out. They count for the warning and for simultaneous bands.
  Period from = 1;
  Period to = kMaxPeriods;
  // Whether to find what one device can move, which can take longer than all the rest.
  bool influence = true;
};

// One period. What the reports do not determine is not a number.
struct AnswerRow {
  Period period = 0;
  double estimate = 0;
  double stddev = 0;
  Band band = {};
  std::uint64_t devices = 0;   // counted in this period
  std::uint64_t reports = 0;   // so many of the expected ones came in
  std::uint64_t expected = 0;  // due at the end of this period

  // The same as shares of the devices counted in this period.
  double share() const { return share_of(estimate); }
  Band share_band() const { return {share_of(band.lower), share_of(band.upper)}; }

 private:
  double share_of(double count) const { return count / static_cast<double>(devices); }
};

// The range of a number. A share of the devices is then a share of the range.
struct NumberScale {
  double low;
  double high;
  std::string unit;

  double mean_of(double share) const { return low + (high - low) * share; }
  friend bool operator==(const NumberScale&, const NumberScale&) = default;
};

struct Answer {
  EstimatorKind estimator;
  Estimand estimand;
  double level;
  bool simultaneous;
  Period current;             // as in Folded
  std::uint64_t devices = 0;  // all that ever enrolled
  std::vector<AnswerRow> rows = {};
  // For numbers: rows count devices as parts of the range, and their shares are means on this
  // scale.
  std::optional<NumberScale> scale = {};
  std::string counted = {};     // the devices that figures count, after "counted: "
  std::string assumption = {};  // what must be true of the population
  std::string note = {};        // why rows are unknown; empty if none is
  // The width of a typical band, where it is at least half as wide as there are devices: the
  // estimate is too noisy to be useful.
  std::optional<double> too_noisy = {};
  Alarm alarm = {};  // of the online estimates, whichever are shown
  // Where contributions are capped, the largest error of the newest period that this causes if all
  // devices are honest, in devices.
  std::optional<double> cap_bias = {};
  // By how many devices one device can move the newest online estimate at most; not a number if
  // that is not known, or was not asked for.
  double one_device_moves = 0;
};

// Fails if the question is out of range, or asks for active devices where they are not known.
// Requires sums and presence of a valid plan.
Result<Answer> answer(const Plan& plan, const Folded& folded, const Question& question);

// By how many devices one device can move each online estimate at most; element t-1 is period t.
// Requires online estimates of all periods from 1 on, with these devices and reports.
std::vector<double> one_device_moves(const Plan& plan, const Folded& folded, Estimand estimand,
                                     const std::vector<AnswerRow>& online);

// A typical band at least half as wide as there are devices tells next to nothing.
bool is_too_noisy(double devices, double typical_band);
// Returns the middle one, or not a number if there are none.
double median(std::vector<double> values);

}  // namespace futurerand
