// Seasons of a metric without an end, for the calls of the API. Open seasons are metrics of their
// own in the snapshot. Final seasons are stored by their metric.
//
// Thread safety: pure functions of a snapshot; SeasonPanels: all of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/documents/metric_status.hpp"
#include "futurerand/estimator/panels.hpp"

namespace futurerand {

// Finds a metric, or a season by its name (season_named). A final season looks like a closed metric
// without devices, and has its panel. Returns null for an unknown name.
std::shared_ptr<const MetricSnapshot> find_metric(const Snapshot& snapshot,
                                                  const std::string& name);

using SeasonSnapshots = std::map<std::int64_t, std::shared_ptr<const MetricSnapshot>>;
// The open seasons of a metric.
SeasonSnapshots seasons_of(const Snapshot& snapshot, const MetricSnapshot& endless);

// The metric's devices and lines, or those of its seasons. Its version grows with theirs.
struct MetricTotals {
  std::uint64_t devices = 0;
  LineCounts lines;
  std::uint64_t version = 0;
};
MetricTotals totals_of(const Snapshot& snapshot, const MetricSnapshot& metric, Instant now);

// The live seasons of an endless metric, for its document.
std::vector<LiveSeason> live_seasons(const Snapshot& snapshot, const MetricSnapshot& endless,
                                     Instant now);

// SeasonPanels: the panels of endless metrics. A season's panel is computed once for each version
// of the season.
class SeasonPanels {
 public:
  Panels of(const Snapshot& snapshot, const MetricSnapshot& endless, Instant now);

 private:
  struct Made {
    std::uint64_t version = 0;
    Period current = 0;
    std::shared_ptr<const Panel> panel;
  };
  std::shared_ptr<const Panel> of_season(const MetricSnapshot& season, Period current);

  std::mutex mutex_;
  std::map<std::uint32_t, Made> made_;  // by number, of seasons that are not final
};

}  // namespace futurerand
