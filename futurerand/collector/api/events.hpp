// EventStream: one reader of GET /v1/metrics/{name}/events, who is told of each period that ends
// and of the newest estimate as it changes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/api/seasons.hpp"
#include "futurerand/collector/writer/intake.hpp"

namespace futurerand {

// NewestEstimates: the newest estimate of each metric as JSON, made once for all who read it.
//
// Thread safety: all of it.
class NewestEstimates {
 public:
  // The panels outlive it.
  explicit NewestEstimates(SeasonPanels& panels) : panels_(panels) {}
  // It is empty if there is none yet. `version` is that of totals_of().
  std::string of(const Snapshot& snapshot, const MetricSnapshot& metric, std::uint64_t version,
                 Instant now);

 private:
  struct Made {
    std::uint64_t version = 0;
    Period period = 0;
    std::string json;
  };
  SeasonPanels& panels_;
  std::mutex mutex_;
  std::map<std::uint32_t, Made> made_;  // by the metric's number
};

class EventStream final : public ResponseStream {
 public:
  // The writer and the estimates outlive the stream.
  EventStream(Intake& writer, NewestEstimates& newest, std::string metric,
              std::function<Instant()> now)
      : writer_(writer), newest_(newest), metric_(std::move(metric)), now_(std::move(now)) {}
  std::string next() override;

 private:
  Intake& writer_;
  NewestEstimates& newest_;
  std::string metric_;
  std::function<Instant()> now_;
  std::uint64_t version_ = 0;
  Period period_ = 0;
  std::string last_;
  Instant last_sent_ = {};
};

}  // namespace futurerand
