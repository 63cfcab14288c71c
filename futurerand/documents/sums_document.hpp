// The document of GET /v1/metrics/{name}/sums: all that a collector keeps of the reports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct ViewSumsDocument {
  Order order = 0;
  // Element j-1 is index j.
  std::vector<std::int64_t> sums;
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> spoken;            // empty if the view's law is never silent
  std::vector<std::uint64_t> enrolled;          // element t-1 is period t
  std::vector<std::uint64_t> snapshot_devices;  // empty if the view is no snapshot
  friend bool operator==(const ViewSumsDocument&, const ViewSumsDocument&) = default;
};

// The sums of the devices in one segment.
struct SegmentSumsDocument {
  std::string segment;
  std::vector<ViewSumsDocument> views;
  friend bool operator==(const SegmentSumsDocument&, const SegmentSumsDocument&) = default;
};

struct SumsDocument {
  std::string metric;
  Period current_period = 0;
  std::uint64_t devices = 0;
  std::vector<ViewSumsDocument> views;  // in the plan's order
  std::string as_of = {};  // UTC: all that was taken by then is in it; empty (no key): all that was
                           // answered is
  std::vector<SegmentSumsDocument> segments = {};  // in the plan's order
};

std::string to_json(const SumsDocument& document);
Result<SumsDocument> parse_sums(std::string_view json);

}  // namespace futurerand
