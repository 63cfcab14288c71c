// Catalogue: the metrics of a cluster and their manual clocks, stored as rows of database 0. Every
// collector has a copy. Owners write news into the logs of their shards.
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
  bool erased = false;  // its device records are erased or being erased; it stays closed
  bool deleted = false;
  std::shared_ptr<const std::string> imported = {};  // sums counted elsewhere, or null

  friend bool operator==(const CatalogueMetric&, const CatalogueMetric&) = default;
};
// Metrics by number, without a gap.
using CatalogueMetrics = std::vector<CatalogueMetric>;

class Catalogue {
 public:
  // The database outlives the catalogue.
  explicit Catalogue(Database& database) : database_(database) {}

  // Returns the same pointer until something changes.
  std::shared_ptr<const CatalogueMetrics> metrics() const {
    const std::lock_guard lock(mutex_);
    return metrics_;
  }
  // Reads news from the database.
  Status refresh();

  // Returns the outcome; the copy then has the change. kMoved means an unknown outcome, or a
  // database without an answer.
  WriteAnswer create(const MetricDefinition& definition);
  // `now` decides whether the metric is closed.
  WriteAnswer advance(const AdvanceRequest& advance, Instant now);
  WriteAnswer change(const LifecycleChange& change, Instant now);
  // Allows shards to erase the devices of metrics that an operator ended this long ago. No shard
  // erases them before this row is written. So a metric is reopened in all shards or in none.
  void erase_ended(std::chrono::seconds after);

 private:
  SqlReply insert(const std::string& name, const std::string& definition,
                  const MetricImported* imported);
  WriteAnswer import(const MetricImported& imported);
  // The seasons of an endless metric end, continue and are deleted with it. Returns false if the
  // database does not answer; the same change may be requested again.
  bool change_seasons(const LifecycleChange& change, const CatalogueMetrics& all,
                      const CatalogueMetric& endless, Instant now);

  Database& database_;
  // The time when this process first saw the end of a metric. One thread erases.
  std::map<std::uint32_t, std::chrono::steady_clock::time_point> ended_since_ = {};
  std::mutex refreshing_;
  mutable std::mutex mutex_;
  std::shared_ptr<const CatalogueMetrics> metrics_ = std::make_shared<CatalogueMetrics>();
};

}  // namespace futurerand
