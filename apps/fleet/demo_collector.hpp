// DemoCollector: a real collector for one metric, on a free port of the loopback with a temporary
// folder, that is gone with this object.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "futurerand/collector/http/service.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/transport/collector_calls.hpp"
#include "futurerand/wire/estimates_document.hpp"

namespace futurerand::apps {

class DemoCollector {
 public:
  // Its manual clock stands after the last period: everything may be reported. Throws Failure.
  explicit DemoCollector(const Plan& plan);
  ~DemoCollector();
  DemoCollector(const DemoCollector&) = delete;
  DemoCollector& operator=(const DemoCollector&) = delete;

  // Lines of the wire, sent in batches; those that are left with flush(). Returns when durable.
  void send(std::string_view line);
  void flush();

  // What the API answers: estimates with pointwise bands.
  std::vector<EstimateRow> estimates(double level);

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
