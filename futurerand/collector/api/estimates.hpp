// GET /v1/metrics/{name}/estimates, and the newest estimate alone.
//
// Thread safety: pure functions of a snapshot.
#pragma once

#include <optional>

#include "futurerand/collector/api/route_table.hpp"
#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/wire/estimates_document.hpp"

namespace futurerand {

// Answers with JSON, or with CSV if the request accepts that rather. `as_of`: as the document's.
ApiResponse estimates_response(const MetricSnapshot& metric, Period current, const Call& call,
                               const std::string& as_of);

// Returns that of the last complete period; nothing if there is none.
std::optional<EstimateRow> newest_estimate(const MetricSnapshot& metric, Period current);

}  // namespace futurerand
