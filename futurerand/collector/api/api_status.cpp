// What the API says of metrics and of itself.
#include <nlohmann/json.hpp>

#include "futurerand/collector/api/api.hpp"
#include "futurerand/collector/api/estimates.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

using Json = nlohmann::ordered_json;

// So that proxies and browsers keep an idle stream, and a dead one is noticed.
constexpr Milliseconds kHeartbeat = 15'000;
constexpr Milliseconds kUpdateInterval = 1000;

std::string certificate_json(const Plan& plan) {
  const Result<PlanCertificate> certificate = certify(plan);
  if (!certificate) return "null";
  Json json = {{"certified", certificate->certified()},
               {"exact_epsilon", certificate->exact_epsilon()}};
  for (const Certificate& view : certificate->views) {
    json["views"].push_back(
        {{"certified", view.certified}, {"exact_epsilon", view.exact_epsilon}, {"gap", view.gap}});
  }
  return json.dump();
}

}  // namespace

std::string Api::metric_json(const MetricSnapshot& metric) {
  const MetricDefinition& definition = *metric.definition;
  const Period current = metric.period_at(options_.now());
  Json json = {{"name", definition.name},
               {"description", definition.description},
               {"plan", Json::parse(to_json(definition.plan))},
               {"clock", definition.manual_clock ? "manual" : "wall"}};
  json["start"] = definition.manual_clock ? Json(nullptr) : Json(definition.start / 1000);
  json["period_seconds"] =
      definition.period_length == 0 ? Json(nullptr) : Json(definition.period_length / 1000);
  json["grace_periods"] = definition.grace;
  json["test"] = definition.test;
  json["current_period"] = current;
  json["state"] = current == 0                             ? "waiting"
                  : current <= definition.plan.num_periods ? "open"
                  : current < definition.closed_period()   ? "grace"
                                                           : "closed";
  json["devices"] = metric.devices;
  std::uint64_t reports = 0;
  Json views = Json::array();
  for (std::uint32_t view = 0; view < metric.sums.num_views(); ++view) {
    std::uint64_t devices = 0;
    std::uint64_t of_view = 0;
    for (Period t = 1; t <= definition.plan.num_periods; ++t) {
      devices += metric.sums.enrolled_in(view, t);
    }
    for (std::uint32_t index = 1; index <= metric.sums.num_indices(view); ++index) {
      of_view += metric.sums.at(view, index).count;
    }
    reports += of_view;
    views.push_back({{"devices", devices}, {"reports", of_view}});
  }
  json["reports"] = reports;
  json["accepted"] = metric.lines.accepted;
  json["duplicates"] = metric.lines.duplicates;
  json["rejected"] = metric.lines.rejected;
  json["views"] = std::move(views);
  std::string certificate;
  {
    const std::lock_guard lock(mutex_);
    std::string& known = certificates_[definition.name];
    if (known.empty()) known = certificate_json(definition.plan);
    certificate = known;
  }
  json["certificate"] = Json::parse(certificate);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ApiResponse Api::health() const {
  const bool ok = writer_.has_room();
  const Json json = {{"status", ok ? "ok" : "no_room"},
                     {"demo", options_.demo},
                     {"sequence", writer_.snapshot()->sequence}};
  return {ok ? 200 : 503, "application/json", json.dump() + "\n", {}};
}

ApiResponse Api::prometheus() const {
  const std::shared_ptr<const Snapshot> snapshot = writer_.snapshot();
  std::string out =
      "# HELP futurerand_lines_total Lines that devices sent, since the start.\n"
      "# TYPE futurerand_lines_total counter\n";
  const auto put = [&](const std::string& name, const std::string& labels, std::uint64_t value) {
    out += name;
    if (!labels.empty()) out += '{' + labels + '}';
    out += ' ' + std::to_string(value) + '\n';
  };
  for (const auto& [name, number] : *snapshot->numbers) {
    const LineCounts& lines = snapshot->metrics[number]->lines;
    const std::string metric = "metric=\"" + name + "\",outcome=";
    put("futurerand_lines_total", metric + "\"accepted\"", lines.accepted);
    put("futurerand_lines_total", metric + "\"duplicate\"", lines.duplicates);
    put("futurerand_lines_total", metric + "\"rejected\"", lines.rejected);
  }
  out +=
      "# HELP futurerand_devices Devices enrolled.\n"
      "# TYPE futurerand_devices gauge\n";
  for (const auto& [name, number] : *snapshot->numbers) {
    put("futurerand_devices", "metric=\"" + name + "\"", snapshot->metrics[number]->devices);
  }
  out +=
      "# HELP futurerand_current_period The period that is running.\n"
      "# TYPE futurerand_current_period gauge\n";
  for (const auto& [name, number] : *snapshot->numbers) {
    put("futurerand_current_period", "metric=\"" + name + "\"",
        snapshot->metrics[number]->period_at(options_.now()));
  }
  out +=
      "# HELP futurerand_log_groups_total Groups made durable, since the start.\n"
      "# TYPE futurerand_log_groups_total counter\n";
  put("futurerand_log_groups_total", "", writer_.num_groups());
  out +=
      "# HELP futurerand_waiting_bytes Memory of requests that wait for the log.\n"
      "# TYPE futurerand_waiting_bytes gauge\n";
  put("futurerand_waiting_bytes", "", writer_.waiting_bytes());
  out +=
      "# HELP futurerand_log_has_room 0 while the disk is full.\n"
      "# TYPE futurerand_log_has_room gauge\n";
  put("futurerand_log_has_room", "", writer_.has_room() ? 1 : 0);
  if (options_.extra_metrics) out += options_.extra_metrics();
  return {200, "text/plain; version=0.0.4; charset=utf-8", out, {}};
}

std::unique_ptr<ResponseStream> Api::open_events(const ApiRequest& request) {
  if (request.method != "GET") return nullptr;
  const std::optional<Target> target = parse_target(request.target);
  if (!target) return nullptr;
  const std::vector<std::string>& path = target->path;
  if (path.size() != 4 || path[0] != "v1" || path[1] != "metrics" || path[3] != "events" ||
      writer_.snapshot()->find(path[2]) == nullptr) {
    return nullptr;
  }
  return std::make_unique<EventStream>(writer_, path[2], options_.now);
}

std::string EventStream::next() {
  const Milliseconds now = now_();
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(metric_);
  if (metric == nullptr) return {};
  const Period current = metric->period_at(now);
  const bool new_period = current != period_;
  // While reports stream in, the newest estimate moves with every group.
  const bool refined = metric->version != version_ && now - last_sent_ >= kUpdateInterval;
  if (new_period || refined) {
    period_ = current;
    version_ = metric->version;
    std::string estimate = newest_estimate(*metric, current);
    if (!estimate.empty() && estimate != last_) {
      last_ = std::move(estimate);
      last_sent_ = now;
      return "event: estimate\ndata: " + last_ + "\n\n";
    }
    if (new_period) {
      last_sent_ = now;
      return "event: period\ndata: {\"period\":" + std::to_string(current) + "}\n\n";
    }
  }
  if (now - last_sent_ < kHeartbeat) return {};
  last_sent_ = now;
  return ": still here\n\n";
}

}  // namespace futurerand
