// MetricCalls: the calls that list, show and create metrics and move their clocks.
//
// Thread safety: all of it.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "futurerand/collector/api/route_table.hpp"
#include "futurerand/collector/log/event.hpp"
#include "futurerand/collector/writer/intake.hpp"
#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"

namespace futurerand {

// A line for the operator. Never names a value, a sign or a client.

// 404
ApiResponse no_such_metric(const std::string& name);

class MetricCalls {
 public:
  // The writer outlives the calls.
  MetricCalls(std::function<Instant()> now, Say say, Intake& writer, std::uint64_t max_bytes);

  // ?name=&state=&archived=&limit=&after=: matching metrics by name; `next` if there are more.
  ApiResponse list(const Call& call);
  ApiResponse show(const MetricSnapshot& metric);
  void create(const Call& call, const Respond& respond);
  void advance(const Call& call, const Respond& respond);
  // The document of one metric.
  std::string document_of(const MetricSnapshot& metric);

 private:
  const PlanCertificate* certificate_of(const MetricSnapshot& metric);

  const std::function<Instant()> now_;
  const Say say_;
  const Instant started_;
  Intake& writer_;
  const std::uint64_t max_bytes_;  // of the sums of one metric
  std::mutex mutex_;
  // By the metric's number, because a name may be reused. Exact arithmetic, done once; empty if the
  // plan could not be judged.
  std::map<std::uint32_t, std::optional<PlanCertificate>> certificates_;
};

}  // namespace futurerand
