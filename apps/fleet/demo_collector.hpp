// DemoCollector: a real collector for one metric, on a free port of the loopback with a temporary
// folder. It ends with this object.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "futurerand/collector/http/service.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/documents/answer_document.hpp"
#include "futurerand/transport/collector_calls.hpp"

namespace futurerand::apps {

class DemoCollector {
 public:
  // Its manual clock stands after the last period, so that everything may be reported. Throws
  // Failure.
  explicit DemoCollector(const Plan& plan);
  ~DemoCollector();
  DemoCollector(const DemoCollector&) = delete;
  DemoCollector& operator=(const DemoCollector&) = delete;

  // Sends lines of the wire in batches; flush() sends the rest. Returns after they are durable.
  void send(std::string_view line);
  void flush();

  // Returns the API's answer: estimates with pointwise bands.
  std::vector<AnswerRow> estimates(double level);

 private:
  std::string call(std::string_view method, const std::string& path, const std::string& body);

  std::string folder_;
  std::unique_ptr<Service> service_;
  std::thread thread_;
  std::unique_ptr<HttpConnection> connection_;
  std::string token_;
  std::string lines_;
  std::uint32_t waiting_ = 0;
};

}  // namespace futurerand::apps
