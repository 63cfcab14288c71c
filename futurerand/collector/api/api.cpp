#include "futurerand/collector/api/api.hpp"

#include "futurerand/collector/api/estimates.hpp"
#include "futurerand/collector/api/events.hpp"
#include "futurerand/collector/api/health.hpp"
#include "futurerand/collector/api/sums.hpp"
#include "futurerand/wire/json_text.hpp"

namespace futurerand {

Api::Api(const ApiOptions& options, Writer& writer)
    : options_(options),
      admin_(options.admin_token),
      refusals_(options.now, options.say),
      writer_(writer),
      metrics_(options.now, options.say, writer),
      reports_(options.demo, options.max_body_bytes, writer),
      table_(rows()) {}

// The calls, in the order in which docs/http.md lists them.
std::vector<Route> Api::rows() {
  const auto anyone = Access::kAnyone;
  const auto admin = Access::kAdmin;
  std::vector<Route> rows = {
      {"PUT", "/v1/metrics/{name}", admin,
       [this](const Call& call, const Respond& respond) { metrics_.create(call, respond); }},
      {"GET", "/v1/metrics", anyone, at_once([this](const Call&) { return metrics_.list(); })},
      {"GET", "/v1/metrics/{name}", anyone,
       of_metric([this](const Call&, const MetricSnapshot& metric, Period) {
         return metrics_.show(metric);
       })},
      {"POST", "/v1/metrics/{name}/reports", anyone,
       [this](Call call, const Respond& respond) { reports_.take(std::move(call), respond); }},
      {"GET", "/v1/metrics/{name}/estimates", anyone,
       of_metric([](const Call& call, const MetricSnapshot& metric, Period current) {
         return estimates_response(metric, current, call);
       })},
      {"GET", "/v1/metrics/{name}/sums", anyone,
       of_metric([](const Call&, const MetricSnapshot& metric, Period current) {
         return sums_response(metric, current);
       })},
      {"GET", "/v1/metrics/{name}/events", anyone,
       of_metric([this](const Call& call, const MetricSnapshot&, Period) {
         ApiResponse response{.content_type = "text/event-stream"};
         response.stream = std::make_shared<EventStream>(writer_, call.argument, options_.now);
         return response;
       })},
      {"POST", "/v1/metrics/{name}/advance", admin,
       [this](const Call& call, const Respond& respond) { metrics_.advance(call, respond); }},
      {"GET", "/v1", anyone, at_once([this](const Call&) { return list_calls(); })},
      {"GET", "/healthz", anyone,
       at_once([this](const Call&) { return health_response(writer_, options_.demo); })},
      {"GET", "/metrics", anyone, at_once([this](const Call&) {
         const std::string more = options_.extra_metrics ? options_.extra_metrics() : "";
         return prometheus_response(writer_, options_.now(), more);
       })},
  };
  rows.insert(rows.end(), options_.routes.begin(), options_.routes.end());
  rows.push_back({"GET", "/{file...}", anyone, at_once([this](const Call& call) {
                    return asset_response(options_.assets, call.argument, call.request);
                  })});
  return rows;
}

void Api::handle(ApiRequest request, Respond respond) {
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
  if (match.route->access == Access::kAdmin) {
    if (auto refused = admin_.refuse_stranger(request)) {
      refusals_.add(match.route->method + " " + match.route->pattern);
      return respond(*std::move(refused));
    }
  }
  match.route->handle({std::move(request), *std::move(target), std::move(match.argument)},
                      std::move(respond));
}

CallHandler Api::of_metric(ReadMetric read) {
  return at_once([this, read = std::move(read)](const Call& call) {
    const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(call.argument);
    if (metric == nullptr) return no_such_metric(call.argument);
    return read(call, *metric, metric->period_at(options_.now()));
  });
}

ApiResponse Api::list_calls() const {
  std::string out = "{\"calls\":[";
  for (const Route& route : table_.routes()) {
    out += out.back() == '[' ? "{\"method\":" : ",{\"method\":";
    put_text(out, route.method);
    out += ",\"path\":";
    put_text(out, route.pattern);
    out += route.access == Access::kAdmin ? ",\"admin\":true}" : ",\"admin\":false}";
  }
  return json_response(out + "]}");
}

}  // namespace futurerand
