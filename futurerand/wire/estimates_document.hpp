// The document of GET /v1/metrics/{name}/estimates, as JSON and as CSV.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

// What the reports do not determine is not a number here, null in JSON and empty in CSV.
struct EstimateRow {
  Period period = 0;
  double estimate = 0;
  double stddev = 0;
  double lower = 0;
  double upper = 0;
  std::uint64_t reports = 0;   // so many of the `expected` ones have come
  std::uint64_t expected = 0;  // due at the end of this period
};

struct EstimatesDocument {
  std::string metric;
  Period current_period = 0;
  std::string estimator;
  double level = 0;
  std::string band;
  std::string assumption;
  std::vector<EstimateRow> periods;
  std::string estimand = {};  // "active" or "enrolled"
  std::string counted = {};   // the same in words: of which devices the figures speak
  std::string note = {};   // why some or all estimates are unknown; empty (null in JSON) if none is
  std::string alarm = {};  // that reports contradict each other; empty (null) if they do not
  // By how many devices one that lies can move the newest period at most; not a number: not known.
  double one_device_moves_at_most = 0;
  // Transcripts are cut off at what an honest one says beyond at most so often in a period; where
  // all are honest, that changes the newest period by at most so many devices.
  struct TranscriptCap {
    double rate = 0;
    double bias_at_most = 0;
    friend bool operator==(const TranscriptCap&, const TranscriptCap&) = default;
  };
  std::optional<TranscriptCap> transcript_cap = {};  // none: they are not (no key)
  std::string as_of = {};  // UTC: all that was taken by then is in it; empty (no key): all that was
                           // answered is
};

std::string to_json(const EstimateRow& row);
std::string to_json(const EstimatesDocument& document);
Result<EstimatesDocument> parse_estimates(std::string_view json);

std::string to_csv(const std::vector<EstimateRow>& periods);

}  // namespace futurerand
