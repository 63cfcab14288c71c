// GET /v1/metrics/{name}/sums.
//
// Thread safety: pure functions.
#pragma once

#include <vector>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/documents/sums_document.hpp"

namespace futurerand {

// Requires sums of this plan.
SumsDocument document_of(const Plan& plan, const Sums& sums, const std::string& metric,
                         Period current, std::uint64_t devices);

// The reverse. Fails if devices of this plan cannot have sent them.
Result<Sums> sums_of(const Plan& plan, const SumsDocument& document);

// `as_of`: as the document's.
ApiResponse sums_response(const MetricSnapshot& metric, Period current, const std::string& as_of);

}  // namespace futurerand
