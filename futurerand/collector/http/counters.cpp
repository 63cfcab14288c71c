#include "futurerand/collector/http/counters.hpp"

namespace futurerand {

std::string Counters::prometheus(const TlsIdentity* tls) const {
  std::string out =
      "# HELP futurerand_connections Connections open.\n"
      "# TYPE futurerand_connections gauge\n"
      "futurerand_connections " +
      std::to_string(connections) +
      "\n# HELP futurerand_streams Event streams open.\n"
      "# TYPE futurerand_streams gauge\n"
      "futurerand_streams " +
      std::to_string(streams.all) +
      "\n# HELP futurerand_requests_total Requests answered, by class of status.\n"
      "# TYPE futurerand_requests_total counter\n";
  for (std::size_t i = 1; i < requests_.size(); ++i) {
    out += "futurerand_requests_total{status=\"" + std::to_string(i) + "xx\"} " +
           std::to_string(requests_[i]) + "\n";
  }
  if (tls == nullptr) return out;
  out +=
      "# HELP futurerand_tls_handshakes_total TLS handshakes, by outcome.\n"
      "# TYPE futurerand_tls_handshakes_total counter\n"
      "futurerand_tls_handshakes_total{outcome=\"failed\"} " +
      std::to_string(handshakes_[0]) + "\nfuturerand_tls_handshakes_total{outcome=\"done\"} " +
      std::to_string(handshakes_[1]) +
      "\n# HELP futurerand_tls_certificate_expires_seconds When the certificate expires, since "
      "1970.\n# TYPE futurerand_tls_certificate_expires_seconds gauge\n"
      "futurerand_tls_certificate_expires_seconds " +
      std::to_string(tls->expires()) + "\n";
  return out;
}

}  // namespace futurerand
