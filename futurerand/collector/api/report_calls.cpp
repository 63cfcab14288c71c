#include "futurerand/collector/api/report_calls.hpp"

#include <algorithm>

#include "futurerand/collector/api/gzip.hpp"
#include "futurerand/collector/api/metric_calls.hpp"
#include "futurerand/collector/api/report_lines.hpp"
#include "futurerand/collector/api/write_refusal.hpp"

namespace futurerand {
namespace {

// What parsing and folding said, together.
ReportAnswer merged(const std::vector<LineError>& malformed, ReportAnswer folded) {
  folded.counts.rejected += malformed.size();
  folded.errors.insert(folded.errors.end(), malformed.begin(), malformed.end());
  std::sort(folded.errors.begin(), folded.errors.end(),
            [](const LineError& a, const LineError& b) { return a.line < b.line; });
  return folded;
}

}  // namespace

std::optional<ApiResponse> ReportCalls::unpack(ApiRequest& request) const {
  const std::string& encoding = request.content_encoding;
  if (encoding.empty() || encoding == "identity") return std::nullopt;
  if (encoding != "gzip") {
    return error_response(415, "bad_encoding", "expected gzip or no Content-Encoding");
  }
  std::string text;
  switch (inflate_gzip(request.body, max_body_bytes_, text)) {
    case Inflated::kTooLarge:
      return error_response(413, "too_large",
                            "the body is more than " + std::to_string(max_body_bytes_) + " bytes");
    case Inflated::kDamaged:
      return error_response(400, "bad_gzip", "the body is not gzip");
    case Inflated::kOk:
      request.body.swap(text);
  }
  return std::nullopt;
}

void ReportCalls::take(Call call, const Respond& respond) {
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(call.argument);
  if (metric == nullptr) return respond(no_such_metric(call.argument));
  if (auto refused = unpack(call.request)) return respond(*std::move(refused));
  const std::string& body = call.request.body;
  const MetricDefinition& definition = *metric->definition;
  ReportLines parsed = parse_report_lines(body, definition.plan, demo_ || definition.test);
  if (parsed.refusal) return respond(*std::move(parsed.refusal));
  const std::size_t bytes = sizeof(Message) * parsed.messages.capacity() + body.size() + 256;
  Batch batch{metric->number, std::move(parsed.messages), std::move(parsed.lines),
              parsed.errors.size()};
  writer_.write(std::move(batch), bytes,
                [respond, malformed = std::move(parsed.errors)](WriteAnswer answer) {
                  if (auto no = write_refusal(answer.written)) return respond(*std::move(no));
                  respond(json_response(to_json(merged(malformed, std::move(answer.batch)))));
                });
}

}  // namespace futurerand
