#include "futurerand/collector/api/api.hpp"

#include <array>

#include "futurerand/collector/api/answer_or_fail.hpp"
#include "futurerand/collector/api/estimates.hpp"
#include "futurerand/collector/api/events.hpp"
#include "futurerand/collector/api/health.hpp"
#include "futurerand/collector/api/openapi.hpp"
#include "futurerand/collector/api/sums.hpp"
#include "futurerand/core/law/law_registry.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/presence/contribution_cap.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace futurerand {
namespace {

// Answers about longer horizons take milliseconds or more. They are computed outside of the HTTP
// threads.
constexpr Period kShortHorizon = 4096;
// Prefix of the patterns of calls on one metric.
constexpr std::string_view kOfOneMetric = "/v1/metrics/{name}";
constexpr std::string_view kOfOneSeason = "/seasons/{season}";
// Queued answers about long horizons.
constexpr WorkLimits kLongReads{.turn = 1, .max_waiting = 1024, .max_waiting_of_owner = 64};

}  // namespace

Api::Api(const ApiOptions& options, Intake& writer)
    : options_(options),
      gate_(options.gate),
      refusals_(options.now, options.say),
      writer_(writer),
      metrics_(options.now, options.say, writer, options.max_metric_bytes),
      lifecycle_calls_(metrics_, options.say, writer),
      reports_({options.now, options.is_clock_stopped, options.demo, options.max_body_bytes,
                options.rates, options.say},
               writer, refusals_),
      table_(rows()),
      long_reads_(kLongReads) {}

std::string Api::as_of() const {
  const std::optional<Instant> time = writer_.as_of();
  return time ? utc_text(std::chrono::floor<std::chrono::seconds>(*time)) : "";
}

// The calls, in the order in which docs/http.md lists them.
std::vector<Route> Api::rows() {
  const auto anyone = Access::kAnyone;
  const auto admin = Access::kAdmin;
  const auto read = Access::kRead;
  std::vector<Route> rows = {
      {"PUT", "/v1/metrics/{name}", admin,
       [this](const Call& call, const Respond& respond) { metrics_.create(call, respond); }},
      {"GET", "/v1/metrics", read,
       at_once([this](const Call& call) { return metrics_.list(call); })},
      {"GET", "/v1/metrics/{name}", Access::kTerms,
       of_metric([this](const Call&, const MetricSnapshot& metric, Period) {
         return metrics_.show(metric);
       })},
      {"POST", "/v1/metrics/{name}/reports", Access::kSubmit,
       [this](Call call, const Respond& respond) { reports_.take(std::move(call), respond); }},
      {"POST", "/v1/reports", Access::kSubmit,
       [this](Call call, const Respond& respond) { reports_.take(std::move(call), respond); }},
      {"GET", "/v1/metrics/{name}/estimates", read,
       of_metric([this](const Call& call, const MetricSnapshot& metric, Period current) {
         return estimates(call, metric, current);
       })},
      {"GET", "/v1/metrics/{name}/difference", read,
       of_metric([this](const Call& call, const MetricSnapshot& metric, Period current) {
         if (!metric.definition->seasons) {
           return difference_response(metric, current, call, as_of());
         }
         const Panels panels = panels_.of(*writer_.snapshot(), metric, options_.now());
         return difference_response(metric, panels, call, as_of());
       })},
      {"GET", "/v1/metrics/{name}/sums", read,
       of_metric([this](const Call&, const MetricSnapshot& metric, Period current) {
         return sums_response(metric, current, as_of());
       })},
      {"GET", "/v1/metrics/{name}/events", read,
       of_metric([this](const Call& call, const MetricSnapshot&, Period) {
         ApiResponse response{.content_type = "text/event-stream"};
         response.stream =
             std::make_shared<EventStream>(writer_, newest_, call.argument, options_.now);
         return response;
       })},
      {"POST", "/v1/metrics/{name}/advance", admin,
       [this](const Call& call, const Respond& respond) { metrics_.advance(call, respond); }},
      {"POST", "/v1/metrics/{name}/close", admin,
       [this](const Call& call, const Respond& respond) { lifecycle_calls_.close(call, respond); }},
      {"POST", "/v1/metrics/{name}/archive", admin,
       [this](const Call& call, const Respond& respond) {
         lifecycle_calls_.archive(call, respond);
       }},
      {"PUT", "/v1/metrics/{name}/candidates", admin,
       [this](const Call& call, const Respond& respond) {
         lifecycle_calls_.add_candidates(call, respond);
       }},
      {"PUT", "/v1/metrics/{name}/annotations", admin,
       [this](const Call& call, const Respond& respond) {
         lifecycle_calls_.annotate(call, respond);
       }},
      {"DELETE", "/v1/metrics/{name}", admin,
       [this](const Call& call, const Respond& respond) {
         lifecycle_calls_.remove(call, respond);
       }},
      {"GET", "/v1/metrics/{name}/export", admin,
       of_metric([this](const Call&, const MetricSnapshot& metric, Period current) {
         const std::shared_ptr<const Snapshot> snapshot = writer_.snapshot();
         if (!metric.definition->seasons) {
           return export_response(*snapshot, metric, current, nullptr);
         }
         const Panels panels = panels_.of(*snapshot, metric, options_.now());
         return export_response(*snapshot, metric, current, &panels);
       })},
      {"POST", "/v1/metrics/{name}/import", admin,
       [this](const Call& call, const Respond& respond) {
         lifecycle_calls_.import(call, respond);
       }},
      {"POST", "/v1/clock/confirm", admin, at_once([this](const Call&) {
         if (options_.confirm_clock()) return json_response("{\"confirmed\":true}");
         return retry_response(503, "no_database", "the database does not answer", 5);
       })},
      {"GET", "/v1/openapi.yaml", anyone, at_once([](const Call&) {
         return ApiResponse{.content_type = "application/yaml", .body = std::string(kOpenApi)};
       })},
      {"GET", "/v1", anyone, at_once([this](const Call&) { return list_calls(); })},
      {"GET", "/healthz", anyone,
       at_once([this](const Call&) { return health_response(writer_, options_.demo); })},
      {"GET", "/readyz", anyone,
       at_once([this](const Call&) { return ready_response(writer_, options_.stall_limit); })},
      {"GET", "/metrics", read, at_once([this](const Call&) {
         std::string more = refusals_.prometheus() + reports_.prometheus() +
                            lag_prometheus(*writer_.snapshot(), options_.now()) +
                            figures_.prometheus(*writer_.snapshot(), options_.now()) +
                            process_prometheus();
         if (options_.extra_metrics) more += options_.extra_metrics();
         return prometheus_response(writer_, options_.now(), more);
       })},
  };
  for (Route& row : season_rows()) rows.push_back(std::move(row));
  rows.insert(rows.end(), options_.routes.begin(), options_.routes.end());
  rows.push_back({"GET", "/{file...}", anyone, at_once([this](const Call& call) {
                    return asset_response(options_.assets, call.argument, call.request,
                                          options_.frame_ancestors);
                  })});
  return rows;
}

std::vector<Route> Api::season_rows() {
  return {
      {"GET", "/v1/metrics/{name}/seasons/{season}", Access::kTerms,
       of_metric([this](const Call&, const MetricSnapshot& season, Period) {
         return metrics_.show(season);
       })},
      {"POST", "/v1/metrics/{name}/seasons/{season}/reports", Access::kSubmit,
       [this](Call call, const Respond& respond) { reports_.take(std::move(call), respond); }},
      {"GET", "/v1/metrics/{name}/seasons/{season}/estimates", Access::kRead,
       of_metric([this](const Call& call, const MetricSnapshot& season, Period current) {
         return estimates(call, season, current);
       })},
      {"GET", "/v1/metrics/{name}/seasons/{season}/sums", Access::kRead,
       of_metric([this](const Call&, const MetricSnapshot& season, Period current) {
         return sums_response(season, current, as_of());
       })},
  };
}

ApiResponse Api::estimates(const Call& call, const MetricSnapshot& metric, Period current) {
  if (!metric.definition->seasons) return estimates_response(metric, current, call, as_of());
  const Panels panels = panels_.of(*writer_.snapshot(), metric, options_.now());
  return estimates_response(metric, panels, call, as_of());
}

void Api::handle(ApiRequest request, Respond respond) {
  switch (gate_.judge(request)) {
    case Gate::Verdict::kWrongHost:
      refusals_.count(Refusal::kHost);
      return respond(
          error_response(421, "bad_host", "this collector does not answer to that Host"));
    case Gate::Verdict::kWrongOrigin:
      refusals_.count(Refusal::kOrigin);
      return respond(error_response(403, "bad_origin",
                                    "pages of that origin may not use this collector; expected an "
                                    "origin listed by --allow-origin"));
    case Gate::Verdict::kEnter:
      break;
  }
  if (options_.gate.origins.empty()) return route(std::move(request), std::move(respond));
  Respond allowed = [this, origin = ApiRequest{.origin = request.origin},
                     respond](ApiResponse response) {
    gate_.allow(origin, response);
    respond(std::move(response));
  };
  if (auto preflight = gate_.preflight(request)) return allowed(*std::move(preflight));
  route(std::move(request), std::move(allowed));
}

void Api::route(ApiRequest request, Respond respond) {
  std::optional<Target> target = parse_target(request.target);
  if (!target) return respond(error_response(400, "bad_target", "the path cannot be read"));
  // The page's row has every path that no other row has.
  RouteTable::Match match = *table_.find(request.method, target->path);
  if (match.route == nullptr) {
    ApiResponse refused = error_response(405, "bad_method",
                                         "no call " + request.method + " " + request.target +
                                             "; this path has " + std::string(match.allowed));
    refused.headers.emplace_back("Allow", match.allowed);
    return respond(std::move(refused));
  }
  if (auto refused = options_.tokens->refuse(request, match.route->access)) {
    refusals_.refused_token(match.route->method + " " + match.route->pattern, match.route->access);
    return respond(*std::move(refused));
  }
  // Seasons have paths of their own.
  const bool is_season = match.route->pattern.find(kOfOneSeason) != std::string::npos;
  const bool names_season = match.argument.find('#') != std::string::npos;
  if (match.route->pattern.starts_with(kOfOneMetric) && names_season != is_season) {
    return respond(no_such_metric(match.argument));
  }
  const CallHandler& handle = match.route->handle;
  Call call{std::move(request), *std::move(target), std::move(match.argument)};
  // Of several collectors another one may know the metric already.
  const bool unknown = match.route->pattern.starts_with(kOfOneMetric) &&
                       find_metric(*writer_.snapshot(), call.argument) == nullptr;
  if (!unknown) return handle(std::move(call), std::move(respond));
  const auto shared = std::make_shared<Call>(std::move(call));
  writer_.catch_up([&handle, shared, respond = std::move(respond)](bool known) {
    if (known) return handle(std::move(*shared), respond);
    respond(retry_response(503, "no_database", "no database answers with the list of metrics", 5));
  });
}

CallHandler Api::of_metric(ReadMetric read) {
  return [this, read = std::move(read)](Call call, const Respond& respond) {
    const std::shared_ptr<const MetricSnapshot> metric =
        find_metric(*writer_.snapshot(), call.argument);
    if (metric == nullptr) return respond(no_such_metric(call.argument));
    const Period current = metric->current_period(options_.now());
    if (metric->definition->plan.num_periods <= kShortHorizon) {
      return respond(read(call, *metric, current));
    }
    const auto shared = std::make_shared<const Call>(std::move(call));
    const bool posted = long_reads_.post(
        owners_.of(shared->request.address), 1, [this, &read, shared, metric, current, respond] {
          answer_or_fail(respond, options_.say,
                         [&](const Respond& once) { once(read(*shared, *metric, current)); });
        });
    if (!posted) {
      respond(
          retry_response(429, "busy", "too many long answers are being computed; ask again", 1));
    }
  };
}

ApiResponse Api::list_calls() const {
  JsonWriter json(4096);
  json.begin_object().key("calls").begin_array();
  for (const Route& route : table_.routes()) {
    json.begin_object().member("method", route.method).member("path", route.pattern);
    json.member("access", name_of(route.access));
    json.member("admin", route.access == Access::kAdmin).end_object();
  }
  // The limits of a new metric, for forms.
  json.end_array().key("limits").begin_object();
  json.member("periods", kMaxPeriods).member("max_changes", kMaxChanges);
  json.array("epsilon", std::array{Epsilon::kMinNanos / 1e9, Epsilon::kMaxNanos / 1e9});
  json.key("protocols").begin_array();
  for (const Protocol protocol : kProtocols) json.value(name_of(protocol));
  json.end_array().key("capped_protocols").begin_array().value(name_of(Protocol::kInnovation));
  json.end_array().member("cap_rate", kCapRate).end_object();
  json.member("admin", options_.tokens->has_admin());
  return json_response(std::move(json.end_object()).take());
}

}  // namespace futurerand
