// EventStream: one reader of GET /v1/metrics/{name}/events. It gets each end of a period, and the
// newest estimate at every change.
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

// NewestEstimates: the newest estimate of each metric as JSON, made once for all readers.
//
// Thread safety: all of it.
class NewestEstimates {
 public:
  // The panels outlive it.
  explicit NewestEstimates(SeasonPanels& panels) : panels_(panels) {}
  // Empty if there is none yet. `version` is that of totals_of().
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
