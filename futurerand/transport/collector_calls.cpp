#include "futurerand/transport/collector_calls.hpp"

#include "futurerand/wire/json_object.hpp"

namespace futurerand {

Result<PublishedMetric> fetch_metric(HttpConnection& connection, const std::string& name) {
  const Result<std::string> document = get_metric(connection, name);
  if (!document) return document.error();
  Result<PublishedMetric> metric = parse_published_metric(*document);
  if (metric && metric->definition.name != name) {
    return Error{
        "the collector describes " + shown(metric->definition.name) + "; expected '" + name + "'",
        ErrorCode::kUntrusted};
  }
  return metric;
}

Result<ReportAnswer> deliver_to(HttpConnection& connection, const std::string& path,
                                std::string_view lines, const RetryPolicy& policy,
                                const RetryTools& tools) {
  const Result<std::string> answer = post_lines_to(connection, path, lines, policy, tools);
  if (!answer) return answer.error();
  return parse_report_answer(*answer);
}

Result<ReportAnswer> deliver(HttpConnection& connection, const std::string& name,
                             std::string_view lines, const RetryPolicy& policy,
                             const RetryTools& tools) {
  const Result<std::string> answer = post_lines(connection, name, lines, policy, tools);
  if (!answer) return answer.error();
  return parse_report_answer(*answer);
}

}  // namespace futurerand
