#include "futurerand/collector/api/api.hpp"

#include <nlohmann/json.hpp>

#include "futurerand/collector/api/estimates.hpp"
#include "futurerand/collector/api/gzip.hpp"
#include "futurerand/collector/api/report_lines.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"

namespace futurerand {
namespace {

constexpr int kRetrySeconds = 1;

ApiResponse no_metric(const std::string& name) {
  return error_response(404, "unknown_metric", "there is no metric '" + name + "'");
}

// Looks at every byte whatever it finds, so that time says nothing about where they differ.
bool equal_in_constant_time(std::string_view secret, std::string_view given) {
  unsigned different = secret.size() == given.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const unsigned expected = static_cast<std::uint8_t>(secret[i % secret.size()]);
    different |= expected ^ static_cast<std::uint8_t>(given[i]);
  }
  return different == 0;
}

// Why nothing was written; nothing if it was.
std::optional<ApiResponse> refusal(Written written) {
  switch (written) {
    case Written::kNoRoom:
      return retry_response(503, "no_room", "the disk is full; nothing of this was counted", 5);
    case Written::kBusy:
      return retry_response(429, "busy", "too many reports wait to be written; send this again",
                            kRetrySeconds);
    case Written::kStopping:
      return retry_response(503, "stopping", "the collector stops; send this again", kRetrySeconds);
    case Written::kDurable:
    case Written::kConflict:
      return std::nullopt;
  }
  return std::nullopt;
}

bool prefers_csv(const std::string& accept) {
  return accept.find("text/csv") != std::string::npos &&
         accept.find("application/json") == std::string::npos;
}

}  // namespace

Api::Api(const ApiOptions& options, Writer& writer) : options_(options), writer_(writer) {}

std::optional<ApiResponse> Api::refuse_stranger(const ApiRequest& request) const {
  if (options_.admin_token.empty()) {
    return error_response(403, "no_admin", "this collector was started without an admin token");
  }
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = request.authorization;
  if (given.starts_with(kBearer) &&
      equal_in_constant_time(options_.admin_token, given.substr(kBearer.size()))) {
    return std::nullopt;
  }
  ApiResponse refused =
      error_response(401, "unauthorized", "this call needs 'Authorization: Bearer <admin token>'");
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

void Api::handle(ApiRequest request, Respond respond) {
  const std::optional<Target> target = parse_target(request.target);
  if (!target) return respond(error_response(400, "bad_target", "the path cannot be read"));
  if (request.method == "GET" || request.method == "HEAD") return respond(read(request, *target));

  const std::vector<std::string>& path = target->path;
  const bool of_metric = path.size() >= 3 && path[0] == "v1" && path[1] == "metrics";
  const std::string call = of_metric && path.size() == 4 ? path[3] : "";
  if (of_metric && path.size() == 3 && request.method == "PUT") {
    return put_metric(request, path[2], std::move(respond));
  }
  if (call == "reports" && request.method == "POST") {
    const std::string name = path[2];
    return post_reports(std::move(request), name, std::move(respond));
  }
  if (call == "advance" && request.method == "POST") {
    if (auto refused = refuse_stranger(request)) return respond(*std::move(refused));
    return advance(path[2], std::move(respond));
  }
  if (options_.extra) {
    if (auto answer = options_.extra(request, *target)) return respond(*std::move(answer));
  }
  respond(
      error_response(405, "bad_method",
                     "no call " + request.method + " " + request.target + "; see docs/http.md"));
}

ApiResponse Api::read(const ApiRequest& request, const Target& target) {
  const std::vector<std::string>& path = target.path;
  if (path.size() >= 2 && path[0] == "v1") {
    if (path[1] == "metrics") return read_metric(request, target);
    if (path[1] == "plan" && path.size() == 2 && options_.plan) return options_.plan(target);
  } else if (path.size() == 1 && path[0] == "healthz") {
    return health();
  } else if (path.size() == 1 && path[0] == "metrics") {
    return prometheus();
  }
  if (options_.extra) {
    if (auto answer = options_.extra(request, target)) return *std::move(answer);
  }
  std::string file;
  for (const std::string& part : path) file += (file.empty() ? "" : "/") + part;
  return asset_response(options_.assets, file, request);
}

ApiResponse Api::read_metric(const ApiRequest& request, const Target& target) {
  const std::shared_ptr<const Snapshot> snapshot = writer_.snapshot();
  const std::vector<std::string>& path = target.path;
  if (path.size() == 2) {
    std::string body = "{\"metrics\":[";
    for (const auto& [name, number] : *snapshot->numbers) {
      if (body.back() != '[') body += ',';
      body += metric_json(*snapshot->metrics[number]);
    }
    return {200, "application/json", body + "]}\n", {}};
  }
  const std::shared_ptr<const MetricSnapshot> metric = snapshot->find(path[2]);
  if (metric == nullptr) return no_metric(path[2]);
  const Period current = metric->period_at(options_.now());
  if (path.size() == 3) return {200, "application/json", metric_json(*metric) + "\n", {}};
  if (path.size() == 4 && path[3] == "estimates") {
    return estimates_response(*metric, current, target, prefers_csv(request.accept));
  }
  if (path.size() == 4 && path[3] == "sums") return sums_response(*metric, current);
  if (path.size() == 4 && (path[3] == "reports" || path[3] == "advance")) {
    return error_response(405, "bad_method", "this call is a POST");
  }
  return error_response(404, "not_found", "there is nothing at this path");
}

void Api::put_metric(const ApiRequest& request, const std::string& name, Respond respond) {
  if (auto refused = refuse_stranger(request)) return respond(*std::move(refused));
  Result<MetricDefinition> metric = define_metric(name, request.body, options_.now());
  if (!metric) return respond(error_response(400, "bad_metric", metric.error().message));
  const Result<PlanCertificate> certificate = certify(metric->plan);
  if (!certificate || !certificate->certified()) {
    return respond(error_response(400, "not_private", "the plan does not certify its epsilon"));
  }
  writer_.create(*std::move(metric), [this, name, respond](const WriteAnswer& answer) {
    if (auto refused = refusal(answer.written)) return respond(*std::move(refused));
    if (answer.written == Written::kConflict) {
      return respond(
          error_response(409, "exists", "metric '" + name + "' exists with another definition"));
    }
    const std::shared_ptr<const MetricSnapshot> created = writer_.snapshot()->find(name);
    if (created == nullptr) return respond(no_metric(name));
    respond({answer.created ? 201 : 200, "application/json", metric_json(*created) + "\n", {}});
  });
}

void Api::post_reports(ApiRequest request, const std::string& name, Respond respond) {
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(name);
  if (metric == nullptr) return respond(no_metric(name));
  if (request.content_encoding == "gzip") {
    std::string text;
    const Inflated inflated = inflate_gzip(request.body, options_.max_body_bytes, text);
    if (inflated == Inflated::kTooLarge) {
      return respond(error_response(
          413, "too_large",
          "the body is more than " + std::to_string(options_.max_body_bytes) + " bytes"));
    }
    if (inflated == Inflated::kDamaged) {
      return respond(error_response(400, "bad_gzip", "the body is not gzip"));
    }
    request.body.swap(text);
  } else if (!request.content_encoding.empty() && request.content_encoding != "identity") {
    return respond(error_response(415, "bad_encoding", "expected gzip or no Content-Encoding"));
  }
  const bool allow_seeded = options_.demo || metric->definition->test;
  ReportLines parsed = parse_report_lines(request.body, metric->definition->plan, allow_seeded);
  if (parsed.refusal) return respond(*std::move(parsed.refusal));
  const std::size_t bytes =
      sizeof(Message) * parsed.messages.capacity() + request.body.size() + 256;
  Batch batch{metric->number, std::move(parsed.messages), std::move(parsed.lines),
              parsed.errors.size()};
  writer_.write(std::move(batch), bytes,
                [respond, malformed = std::move(parsed.errors)](const WriteAnswer& answer) {
                  if (auto refused = refusal(answer.written)) return respond(*std::move(refused));
                  respond({200, "application/json", report_answer(malformed, answer.batch), {}});
                });
}

void Api::advance(const std::string& name, Respond respond) {
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(name);
  if (metric == nullptr) return respond(no_metric(name));
  writer_.advance(metric->number, [respond](const WriteAnswer& answer) {
    if (auto refused = refusal(answer.written)) return respond(*std::move(refused));
    if (answer.written == Written::kConflict) {
      return respond(error_response(409, "cannot_advance",
                                    "the clock is not manual, or the metric is closed"));
    }
    const std::string period = std::to_string(answer.period);
    respond({200,
             "application/json",
             "{\"period\":" + period + ",\"current_period\":" + period + "}\n",
             {}});
  });
}

}  // namespace futurerand
