// Which plan `audit` is about: the one that its flags describe, that of a file, or the one that a
// collector has deployed.
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

// Reads a plan as JSON, or any document that has one under "plan": the first line of a file of
// reports, a metric as GET /v1/metrics/{name} answers, the certificate that `audit` prints.
AuditedPlan read_plan_file(const std::string& path);

// Fetches the plan of http[s]://HOST:PORT/v1/metrics/NAME. The files may be empty: then it believes
// the system's authorities and shows no token. Fails where the build has no HTTP.
AuditedPlan fetch_plan(const std::string& url, const std::string& ca_file,
                       const std::string& token_file);

}  // namespace futurerand::apps
