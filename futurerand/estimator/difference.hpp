// Difference: two stretches of time, the pooled mean of each, and the change between them with a
// band. Its noise includes the correlation of the two means, since they share reports.
//
// Thread safety: pure functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/estimator/answer.hpp"
#include "futurerand/estimator/panels.hpp"

namespace futurerand {

// Consecutive periods.
struct PeriodSpan {
  Period first = 1;
  Period last = 1;

  double length() const { return static_cast<double>(last - first + 1); }
  friend bool operator==(const PeriodSpan&, const PeriodSpan&) = default;
};

// Reads "8..14", or "8" for one period. `name` starts the error.
Result<PeriodSpan> parse_period_span(std::string_view text, const std::string& name);

struct DifferenceQuestion {
  PeriodSpan before;
  PeriodSpan after;
  Period inactive_after = kDefaultInactiveAfter;
  double level = 0.95;
  ValueQuestion values = {};                // of a metric with labels or buckets; no quantiles
  std::optional<std::string> segment = {};  // none: all devices
};

// Undetermined figures are not numbers.
struct Figure {
  double value = 0;
  double stddev = 0;
  Band band = {};
};

// The mean over a stretch: of the counts, and as a share of the counted devices.
struct StretchMean {
  Figure count;
  Figure share;
  double devices = 0;  // mean number of counted devices
};

struct ChangeRow {
  std::string label = {};
  StretchMean before;
  StretchMean after;
  Figure count;  // after less before
  Figure share;

  // Whether the band of the change in the share excludes 0.
  bool is_clear() const { return share.band.lower > 0 || share.band.upper < 0; }
};

struct Difference {
  PeriodSpan before;
  PeriodSpan after;
  double level = 0;
  std::string segment = {};
  std::vector<ChangeRow> rows = {};
  bool has_labels = false;
  std::optional<NumberScale> scale = {};  // shares are then means on it
  std::string counted = {};
  std::string assumption = {};
  std::string note = {};  // why figures are unknown
};

// Fails if the stretches are not over, overlap, or are in the wrong order, and where answer() does.
// Requires active devices.
Result<Difference> difference(const Plan& plan, const Folded& folded,
                              const DifferenceQuestion& question);
// The same for a metric without an end.
Result<Difference> difference_of_panels(const Plan& plan, const Panels& panels,
                                        const DifferenceQuestion& question);

}  // namespace futurerand
