// What a collector says of itself: GET /healthz, that it lives, and GET /readyz, that it can take
// reports, for load balancers; GET /metrics for Prometheus.
//
// Thread safety: that of the writer.
#pragma once

#include <chrono>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/writer/intake.hpp"

namespace futurerand {

ApiResponse health_response(const Intake& writer, bool demo);

// 503 while the disk is full, or does not come back for longer than this.
ApiResponse ready_response(const Intake& writer, std::chrono::milliseconds stall_limit);

// `more`: lines of others, such as the server's.
ApiResponse prometheus_response(const Intake& writer, Instant now, const std::string& more);

}  // namespace futurerand
