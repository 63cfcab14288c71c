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
std::vector<ViewSumsDocument> documents_of(const Plan& plan, const Sums& sums);

// The other way round. An error if they cannot be what devices of this plan sent.
Result<Sums> sums_of(const Plan& plan, const std::vector<ViewSumsDocument>& documents);

// `as_of`: as the document's.
ApiResponse sums_response(const MetricSnapshot& metric, Period current, const std::string& as_of);

}  // namespace futurerand
