// The plan to audit: from flags, from a file, or of a deployed metric.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "futurerand/core/plan/calendar.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand::apps {

struct AuditedPlan {
  Plan plan;
  std::optional<Calendar> seasons = {};  // of a metric without an end
  std::uint64_t devices = 0;             // that a deployed metric has
};

// Reads a plan as JSON, or any document with a plan under "plan": the first line of a file of
// reports, a metric as answered by GET /v1/metrics/{name}, or a certificate of `audit`.
AuditedPlan read_plan_file(const std::string& path);

// Fetches the plan of http[s]://HOST:PORT/v1/metrics/NAME. The files may be empty: then it believes
// the system's authorities and shows no token. Fails where the build has no HTTP.
AuditedPlan fetch_plan(const std::string& url, const std::string& ca_file,
                       const std::string& token_file);

}  // namespace futurerand::apps
