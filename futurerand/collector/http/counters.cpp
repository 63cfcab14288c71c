#include "futurerand/collector/http/counters.hpp"

namespace futurerand {

std::string Counters::prometheus() const {
  std::string out =
      "# HELP futurerand_connections Connections open.\n"
      "# TYPE futurerand_connections gauge\n"
      "futurerand_connections " +
      std::to_string(connections) +
      "\n# HELP futurerand_streams Event streams open.\n"
      "# TYPE futurerand_streams gauge\n"
      "futurerand_streams " +
      std::to_string(streams) +
      "\n# HELP futurerand_requests_total Requests answered, by class of status.\n"
      "# TYPE futurerand_requests_total counter\n";
  for (std::size_t i = 1; i < requests_.size(); ++i) {
    out += "futurerand_requests_total{status=\"" + std::to_string(i) + "xx\"} " +
           std::to_string(requests_[i]) + "\n";
  }
  return out;
}

}  // namespace futurerand
