// A collector's own state: GET /healthz for liveness, GET /readyz for readiness for reports (for
// load balancers), GET /metrics for Prometheus.
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

// 503 while the disk is full, or hangs for longer than this.
ApiResponse ready_response(const Intake& writer, std::chrono::milliseconds stall_limit);

// `more`: further lines, such as the server's.
ApiResponse prometheus_response(const Intake& writer, Instant now, const std::string& more);

// Lines for GET /metrics about late devices: the due reports at the end of the last period, and the
// received ones. Leaves out metrics in their first period and very long ones.
std::string lag_prometheus(const Snapshot& snapshot, Instant now);

// Lines for GET /metrics about the process: build, memory, processor time, open files. Leaves out
// figures unknown to the system.
std::string process_prometheus();

}  // namespace futurerand
