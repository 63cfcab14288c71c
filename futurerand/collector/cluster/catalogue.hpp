// Catalogue: the metrics of a cluster and their manual clocks, which are rows of database 0. Every
// collector has a copy; owners write what is new into the logs of their shards.
//
// Thread safety: all of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "futurerand/collector/cluster/database.hpp"
#include "futurerand/collector/writer/write_request.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct CatalogueMetric : MetricLifecycle {
  bool erased = false;  // what was known of its devices is gone, or is going; it stays closed
  bool deleted = false;
  std::shared_ptr<const std::string> imported = {};  // sums that were counted elsewhere, or null

  friend bool operator==(const CatalogueMetric&, const CatalogueMetric&) = default;
};
// They are listed by number, without a hole.
using CatalogueMetrics = std::vector<CatalogueMetric>;

class Catalogue {
 public:
  // The database outlives the catalogue.
  explicit Catalogue(Database& database) : database_(database) {}

  // Returns the same pointer for as long as nothing changes.
  std::shared_ptr<const CatalogueMetrics> metrics() const {
    const std::lock_guard lock(mutex_);
    return metrics_;
  }
  // Reads what is new.
  Status refresh();

  // Returns what became of it; the copy has it then. kMoved means that nobody knows, or not now.
  WriteAnswer create(const MetricDefinition& definition);
  // `now` decides whether the metric is closed.
  WriteAnswer advance(const AdvanceRequest& advance, Instant now);
  WriteAnswer change(const LifecycleChange& change, Instant now);
  // Lets shards erase the devices of the metrics that an operator ended so long ago. Until that row
  // is written no shard erases them, so a metric is reopened in all shards or in none.
  void erase_ended(std::chrono::seconds after);

 private:
  SqlReply insert(const std::string& name, const std::string& definition,
                  const MetricImported* imported);
  WriteAnswer import(const MetricImported& imported);
  // The seasons of an endless metric end, go on and are deleted with it. Returns false if the
  // database does not answer: the same change may be asked for again.
  bool change_seasons(const LifecycleChange& change, const CatalogueMetrics& all,
                      const CatalogueMetric& endless, Instant now);

  Database& database_;
  // When this process first saw that a metric was ended. One thread erases.
  std::map<std::uint32_t, std::chrono::steady_clock::time_point> ended_since_ = {};
  std::mutex refreshing_;
  mutable std::mutex mutex_;
  std::shared_ptr<const CatalogueMetrics> metrics_ = std::make_shared<CatalogueMetrics>();
};

}  // namespace futurerand
