// Catalogue: the metrics of a cluster and their manual clocks, which are rows of database 0. Every
// collector has a copy; owners write what is new into the logs of their shards.
//
// Thread safety: all of it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "futurerand/collector/cluster/database.hpp"
#include "futurerand/collector/writer/write_request.hpp"
#include "futurerand/wire/metric.hpp"

namespace futurerand {

struct CatalogueMetric {
  std::shared_ptr<const MetricDefinition> definition;
  Period manual_period = 1;
};
// By number, without a hole.
using CatalogueMetrics = std::vector<CatalogueMetric>;

class Catalogue {
 public:
  // The database outlives the catalogue.
  explicit Catalogue(Database& database) : database_(database) {}

  std::shared_ptr<const CatalogueMetrics> metrics() const {
    const std::lock_guard lock(mutex_);
    return metrics_;
  }
  // Reads what is new.
  Status refresh();

  // What became of it; the copy has it then. kMoved: nobody knows, or not now.
  WriteAnswer create(const MetricDefinition& definition);
  // `now` decides whether the metric is closed.
  WriteAnswer advance(const AdvanceRequest& advance, Instant now);

 private:
  Database& database_;
  std::mutex refreshing_;
  mutable std::mutex mutex_;
  std::shared_ptr<const CatalogueMetrics> metrics_ = std::make_shared<CatalogueMetrics>();
};

}  // namespace futurerand
