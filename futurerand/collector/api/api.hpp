// Api: the HTTP calls of docs/http.md as functions of a request, without sockets. All calls are
// rows of one table, in api.cpp. Reads use the newest snapshot; what changes something goes through
// the writer.
//
// Thread safety: all of it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "futurerand/collector/api/access_tokens.hpp"
#include "futurerand/collector/api/assets.hpp"
#include "futurerand/collector/api/events.hpp"
#include "futurerand/collector/api/gate.hpp"
#include "futurerand/collector/api/http_handler.hpp"
#include "futurerand/collector/api/lifecycle_calls.hpp"
#include "futurerand/collector/api/metric_calls.hpp"
#include "futurerand/collector/api/newest_figures.hpp"
#include "futurerand/collector/api/refusals.hpp"
#include "futurerand/collector/api/report_calls.hpp"
#include "futurerand/collector/api/route_table.hpp"
#include "futurerand/collector/api/seasons.hpp"
#include "futurerand/collector/api/work_thread.hpp"
#include "futurerand/collector/writer/intake.hpp"

namespace futurerand {

struct ApiOptions {
  std::function<Instant()> now;
  // Their other holder may replace the tokens while the API runs.
  std::shared_ptr<AccessTokens> tokens = std::make_shared<AccessTokens>();
  bool demo = false;                                  // accepts seeded reports
  RateLimits rates;                                   // of lines and enrolments, for each address
  GateOptions gate;                                   // hosts and web pages
  std::chrono::milliseconds stall_limit{10'000};      // of the disk, before GET /readyz fails
  std::size_t max_body_bytes = std::size_t{8} << 20;  // after decompression
  std::uint64_t max_metric_bytes = std::uint64_t{1} << 30;  // of the sums of one metric
  Assets assets;
  std::vector<std::string> frame_ancestors;    // origins that may show the page in a frame
  std::vector<Route> routes;                   // calls of the application's own
  std::function<std::string()> extra_metrics;  // lines for GET /metrics; may be empty
  Say say = say_nothing;                       // lines for the operator
  // Confirms a clock after a jump. Returns false if that is impossible now.
  std::function<bool()> confirm_clock = [] { return true; };
  std::function<bool()> is_clock_stopped = [] { return false; };  // after a jump
};

class Api final : public HttpHandler {
 public:
  // The writer outlives the API.
  Api(const ApiOptions& options, Intake& writer);

  void handle(ApiRequest request, Respond respond) override;
  // Answers requests in progress, before the server stops.
  void stop() {
    reports_.stop();
    long_reads_.stop();
  }

 private:
  std::vector<Route> rows();
  void route(ApiRequest request, Respond respond);
  ApiResponse list_calls() const;
  // Returns it in the form of the documents.
  std::string as_of() const;
  // A call that reads one metric: 404 for an unknown name.
  using ReadMetric =
      std::function<ApiResponse(const Call& call, const MetricSnapshot& metric, Period current)>;
  // The same for a season of a metric without an end.
  std::vector<Route> season_rows();
  ApiResponse estimates(const Call& call, const MetricSnapshot& metric, Period current);
  CallHandler of_metric(ReadMetric read);

  const ApiOptions options_;
  const Gate gate_;
  Refusals refusals_;
  Intake& writer_;
  SeasonPanels panels_;
  NewestEstimates newest_{panels_};
  NewestFigures figures_;
  MetricCalls metrics_;
  LifecycleCalls lifecycle_calls_;
  ReportCalls reports_;
  const AddressOwners owners_;
  const RouteTable table_;
  WorkThread long_reads_;  // goes first, because it uses the others
};

}  // namespace futurerand
