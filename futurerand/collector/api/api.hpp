// Api: the HTTP calls of docs/http.md as functions of a request, without sockets. Reads use the
// newest snapshot; what changes something goes through the writer.
//
// Thread safety: all of it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "futurerand/collector/api/assets.hpp"
#include "futurerand/collector/api/message.hpp"
#include "futurerand/collector/writer/snapshot.hpp"
#include "futurerand/collector/writer/writer.hpp"

namespace futurerand {

struct ApiOptions {
  std::function<Milliseconds()> now;
  std::string admin_token;  // empty: nobody may create metrics or advance clocks
  bool demo = false;        // seeded reports are welcome
  std::size_t max_body_bytes = std::size_t{8} << 20;  // after decompression
  Assets assets;
  // GET /v1/plan: what the command `plan` prints. Injected, since planning text is the command's.
  std::function<ApiResponse(const Target&)> plan;
  // Calls of the application's own, tried after the API's; nothing if it does not know the path.
  std::function<std::optional<ApiResponse>(const ApiRequest&, const Target&)> extra;
  std::function<std::string()> extra_metrics;  // lines for GET /metrics; may be empty
};

// One reader of GET .../events.
class EventStream final : public ResponseStream {
 public:
  EventStream(Writer& writer, std::string metric, std::function<Milliseconds()> now)
      : writer_(writer), metric_(std::move(metric)), now_(std::move(now)) {}
  std::string next() override;

 private:
  Writer& writer_;
  std::string metric_;
  std::function<Milliseconds()> now_;
  std::uint64_t version_ = 0;
  Period period_ = 0;
  std::string last_;
  Milliseconds last_sent_ = 0;
};

class Api final : public HttpHandler {
 public:
  // The writer outlives the API.
  Api(const ApiOptions& options, Writer& writer);

  void handle(ApiRequest request, Respond respond) override;
  std::unique_ptr<ResponseStream> open_events(const ApiRequest& request) override;

 private:
  ApiResponse read(const ApiRequest& request, const Target& target);
  ApiResponse read_metric(const ApiRequest& request, const Target& target);
  void put_metric(const ApiRequest& request, const std::string& name, Respond respond);
  void post_reports(ApiRequest request, const std::string& name, Respond respond);
  void advance(const std::string& name, Respond respond);
  std::optional<ApiResponse> refuse_stranger(const ApiRequest& request) const;
  std::string metric_json(const MetricSnapshot& metric);
  ApiResponse health() const;
  ApiResponse prometheus() const;

  const ApiOptions options_;
  Writer& writer_;
  std::mutex mutex_;
  std::map<std::string, std::string> certificates_;  // by metric: exact arithmetic, done once
};

}  // namespace futurerand
