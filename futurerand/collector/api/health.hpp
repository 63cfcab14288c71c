// What a collector says of itself: GET /healthz for load balancers, GET /metrics for Prometheus.
//
// Thread safety: that of the writer.
#pragma once

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/writer/writer.hpp"

namespace futurerand {

ApiResponse health_response(const Writer& writer, bool demo);

// `more`: lines of others, such as the server's.
ApiResponse prometheus_response(const Writer& writer, Instant now, const std::string& more);

}  // namespace futurerand
