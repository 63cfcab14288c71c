// A device's calls to a collector: read a metric, send lines. Lines are sent again until answered
// (collector_exchange.hpp).
//
// Thread safety: that of the connection.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/core/base/result.hpp"
#include "futurerand/transport/collector_exchange.hpp"
#include "futurerand/wire/metric_json.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

// GET /v1/metrics/{name}. Fails if the collector describes a metric of another name.
Result<PublishedMetric> fetch_metric(HttpConnection& connection, const std::string& name);

// The same as post_lines_to, with the answer read.
Result<ReportAnswer> deliver_to(HttpConnection& connection, const std::string& path,
                                std::string_view lines, const RetryPolicy& policy,
                                const RetryTools& tools);
// The same as post_lines, with the answer read.
Result<ReportAnswer> deliver(HttpConnection& connection, const std::string& name,
                             std::string_view lines, const RetryPolicy& policy,
                             const RetryTools& tools);

}  // namespace futurerand
