// Snapshot: the state for readers. The writer makes it after a commit is durable and never changes
// it afterwards. Any number of readers can use it without a lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/collector/writer/final_season.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/wire/metric.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

struct MetricSnapshot : MetricLifecycle {
  std::uint32_t number = 0;  // in the order of creation
  Sums sums;
  std::uint64_t devices = 0;
  std::uint64_t version = 0;                           // grows with every change
  LineCounts lines;                                    // since the process started
  std::shared_ptr<const Presence> presence = nullptr;  // null if the metric does not keep it
  std::shared_ptr<const FinalSeasons> final_seasons = nullptr;  // of a metric without an end
  std::shared_ptr<const Panel> final_panel = nullptr;           // of a final season
};

struct Snapshot {
  std::uint64_t sequence = 0;                                  // of the last durable group
  std::vector<std::shared_ptr<const MetricSnapshot>> metrics;  // null if deleted
  std::shared_ptr<const std::map<std::string, std::uint32_t, std::less<>>> numbers;

  // Returns null if there is none of this name.
  std::shared_ptr<const MetricSnapshot> find(std::string_view name) const {
    const auto at = numbers->find(name);
    return at == numbers->end() ? nullptr : metrics[at->second];
  }
};

}  // namespace futurerand
