// What a collector says of itself: GET /healthz, that it lives, and GET /readyz, that it can take
// reports, for load balancers; GET /metrics for Prometheus.
//
// Thread safety: that of the writer.
#pragma once

#include <chrono>
#include <string>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/writer/intake.hpp"
#include "futurerand/collector/writer/snapshot.hpp"

namespace futurerand {

ApiResponse health_response(const Intake& writer, bool demo);

// 503 while the disk is full, or does not come back for longer than this.
ApiResponse ready_response(const Intake& writer, std::chrono::milliseconds stall_limit);

// `more`: lines of others, such as the server's.
ApiResponse prometheus_response(const Intake& writer, Instant now, const std::string& more);

// Lines for GET /metrics about devices that are behind: the reports that were due when the last
// period ended, and how many of them are in. Leaves out metrics in their first period and very long
// ones.
std::string lag_prometheus(const Snapshot& snapshot, Instant now);

// Lines for GET /metrics about the process: build, memory, processor time, open files. Leaves out
// what the system does not tell.
std::string process_prometheus();

}  // namespace futurerand
