// ExportedMetric: one metric as a file, for archives, other collectors and merging: its definition
// and all that was counted, without anything of single devices. Version 1:
//   {"format": "futurerand metric 1", "definition": {...}, "period": 9, "sums": {...},
//    "presence": [...]}
// A metric without an end has "seasons" instead of a presence: each with its sums and its figures.
// "annotations" are the operator's notes, if there are any.
//
// Thread safety: plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"
#include "futurerand/documents/sums_document.hpp"
#include "futurerand/estimator/panel.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct ExportedSeason {
  std::int64_t season = 0;
  SumsDocument sums;
  Panel panel;
};

struct ExportedMetric {
  MetricDefinition definition;
  Period period = 0;  // that was running
  SumsDocument sums;
  // For active devices, labels and distributions. Empty if the metric counts all that ever
  // enrolled.
  std::vector<PresenceTable> presence = {};
  std::vector<ExportedSeason> seasons = {};  // of a metric without an end, by number
  std::vector<Annotation> annotations = {};  // by period and date
};

std::string to_json(const ExportedMetric& exported);
// Whether the sums fit the plan is for whoever uses them to see.
Result<ExportedMetric> parse_exported_metric(std::string_view json);

// The sum of the counts of two collectors with different devices: the same plan and clock, up
// to the earlier of the two periods. Requires sums of the same shape where the plans are the same;
// an error otherwise. Fails if both have counted devices of one collection: an earlier and a later
// export, a collector and its restored backup, or something that was merged before.
Result<ExportedMetric> merged(const ExportedMetric& one, const ExportedMetric& other);

}  // namespace futurerand
