// NewestFigures: the newest estimate of each metric, its range and its share, as Prometheus gauges;
// by label and by segment where there are some. Made once for all who ask, and again when a metric
// changed, at most every few seconds.
//
// Thread safety: all of it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/estimator/answer_row.hpp"

namespace futurerand {

class NewestFigures {
 public:
  // A metric with more labels than these is left out, and so are segments with more rows.
  static constexpr std::size_t kMostRows = 256;

  std::string prometheus(const Snapshot& snapshot, Instant now);

 private:
  struct Made {
    std::uint64_t version = 0;
    Period period = 0;
    Instant at = {};
    std::vector<AnswerRow> rows;
  };
  const std::vector<AnswerRow>& rows_of(const MetricSnapshot& metric, Instant now);

  std::mutex mutex_;
  std::map<std::uint32_t, Made> made_;  // by the metric's number
};

}  // namespace futurerand
