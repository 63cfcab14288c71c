#include "apps/commands/audited_plan.hpp"

#include <chrono>
#include <string_view>

#include "apps/cli/failure.hpp"
#include "apps/cli/input_file.hpp"
#include "apps/cli/token_file.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/metric_json.hpp"
#include "futurerand/wire/plan_json.hpp"
#ifdef FUTURERAND_WITH_HTTP
#include "futurerand/transport/collector_calls.hpp"
#endif

namespace futurerand::apps {

AuditedPlan read_plan_file(const std::string& path) {
  const std::string text = read_file(path);
  // A file of reports is one document a line, and the plan is in the first.
  const std::string_view first = std::string_view(text).substr(0, text.find('\n'));
  Result<nlohmann::json> document = parse_json_object(first, path);
  if (!document) document = parse_json_object(text, path);
  if (!document) {
    throw bad_input(path + ": no plan; expected a JSON object, or one with the key 'plan'");
  }
  const auto plan = document->find("plan");
  Result<Plan> read = read_plan(plan == document->end() ? *document : *plan);
  if (!read) throw bad_input(path + ": " + read.error().message);
  AuditedPlan audited{*std::move(read)};
  if (document->contains("seasons")) {
    const Result<PublishedMetric> metric = parse_published_metric(document->dump());
    if (!metric) throw bad_input(path + ": " + metric.error().message);
    audited.seasons = metric->definition.seasons;
  }
  return audited;
}

AuditedPlan fetch_plan(const std::string& url, [[maybe_unused]] const std::string& ca_file,
                       [[maybe_unused]] const std::string& token_file) {
#ifdef FUTURERAND_WITH_HTTP
  constexpr std::string_view kPath = "/v1/metrics/";
  const std::size_t at = url.find(kPath);
  const std::string name = at == url.npos ? "" : url.substr(at + kPath.size());
  if (name.empty() || name.find('/') != name.npos) {
    throw bad_input("--metric '" + url +
                    "' is wrong; expected an address such as "
                    "http://127.0.0.1:8080/v1/metrics/dark-mode");
  }
  ServerAddress server = or_bad_input(ServerAddress::parse(url.substr(0, at)));
  server.ca_file = ca_file;
  server.token = read_token("read", token_file);
  HttpConnection connection(server, std::chrono::seconds(30));
  Result<PublishedMetric> metric = fetch_metric(connection, name);
  if (!metric) throw failed(metric.error().message);
  return {std::move(metric->definition.plan), metric->definition.seasons, metric->devices};
#else
  throw failed("--metric " + url + ": this build has no HTTP");
#endif
}

}  // namespace futurerand::apps
