// Answer: the estimates from the reports of one metric. All published counts are decided here. The
// HTTP API, its events, the commands and Python ask a Question and print the Answer.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/answer_row.hpp"
#include "futurerand/estimator/coding/value_question.hpp"
#include "futurerand/estimator/estimand.hpp"
#include "futurerand/estimator/estimate.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/robustness/self_check.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// The result of folding reports.
struct Folded {
  const Sums& sums;
  const Presence* presence = nullptr;  // null: active devices are not known
  Period current = 0;                  // the current period; those before it are over
  // The share of the group's devices that reported, if the metric is one of a group: each device
  // draws one (core/plan/metric_group.hpp). Answers are of all devices of the group.
  double asked_share = 1;
};

struct Question {
  EstimatorKind estimator = EstimatorKind::kOnline;
  std::optional<Estimand> estimand = {};  // none: active devices if they are known
  Period inactive_after = kDefaultInactiveAfter;
  double level = 0.95;  // of the bands, between 0 and 1
  bool simultaneous = false;
  // Rows outside are left out. They count for the warning and for simultaneous bands.
  Period from = 1;
  Period to = UINT32_MAX;
  // Each row is the mean over this many periods, and names the last of them. For active devices.
  Period window = 1;
  ValueQuestion values = {};  // of a metric with labels or buckets
  // Only the devices in this segment, or rows for each segment.
  std::optional<std::string> segment = {};
  bool by_segment = false;
  // Whether to compute the influence of one device. This can take longer than everything else.
  bool influence = true;
  // Whether to leave out the alarm too: rows alone matter.
  bool figures_only = false;
};

// One segment of an answer that has rows for each.
struct AnswerSegment {
  std::string name;
  std::uint64_t devices = 0;  // ever enrolled; for a metric without an end, the newest period's
  std::string note = {};      // as in Answer
  std::optional<double> too_noisy = {};
};

struct Answer {
  EstimatorKind estimator;
  Estimand estimand;
  double level;
  bool simultaneous;
  Period window;
  Period current;             // as in Folded
  std::uint64_t devices = 0;  // all devices ever enrolled; of a group, estimated
  double asked_share = 1;     // as in Folded
  std::vector<AnswerRow> rows = {};
  std::string segment = {};  // of all rows; empty if they are of several, or of all devices
  std::vector<AnswerSegment> segments = {};  // of which rows are; empty unless there are several
  bool has_segments = false;                 // rows have them
  bool has_labels = false;                   // rows have them
  bool has_quantiles = false;                // rows have them
  // For numbers and means of distributions: rows count devices as parts of the range, and their
  // shares are means on this scale.
  std::optional<NumberScale> scale = {};
  std::string counted = {};     // the devices that figures count, after "counted: "
  std::string assumption = {};  // about the population
  std::string note = {};        // why rows are unknown; empty if none is
  // The width of a typical band, if it is at least half the number of devices. The estimate is then
  // too noisy to be useful.
  std::optional<double> too_noisy = {};
  Alarm alarm = {};  // of the online estimates, even if others are shown
  // If contributions are capped: the largest error of the newest period due to the cap, in devices,
  // if all devices are honest.
  std::optional<double> cap_bias = {};
  // By how many devices one device can move the newest online estimate at most; not a number if
  // that is not known, or was not asked for.
  double one_device_moves = 0;
};

// Fails if the question is out of range, or asks for unknown active devices. Requires sums and
// presence of a valid plan.
Result<Answer> answer(const Plan& plan, const Folded& folded, const Question& question);

// Says of an answer whether its rows have labels, quantiles or a scale.
void name_values(const Coding& coding, const ValueQuestion& values, Answer& found);

// By how many devices one device can move each online estimate at most; element t-1 is period t.
// Requires online estimates of all periods from 1 on, with these devices and reports.
std::vector<double> one_device_moves(const Plan& plan, const Folded& folded, Estimand estimand,
                                     const std::vector<AnswerRow>& online);

// A typical band at least half as wide as there are devices tells next to nothing.
bool is_too_noisy(double devices, double typical_band);

// Returns the typical width of the bands if they are too wide to be useful. It decides by the share
// of devices that a band covers, because devices come and go.
std::optional<double> too_noisy_band(const std::vector<AnswerRow>& rows);

// Returns a sentence about the rows without an estimate, and why they have none. Empty: all have
// one.
std::string note_on_unknown(const Answer& answer, std::string_view why);
// Returns the middle one, or not a number if there are none.
double median(std::vector<double> values);

}  // namespace futurerand
