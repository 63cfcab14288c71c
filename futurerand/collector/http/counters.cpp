#include "futurerand/collector/http/counters.hpp"

#include "futurerand/documents/prometheus_writer.hpp"

namespace futurerand {

std::string Counters::prometheus(const TlsIdentity* tls) const {
  PrometheusWriter out;
  out.gauge("futurerand_connections", "Open connections.", connections);
  out.gauge("futurerand_streams", "Open event streams.", streams.all);
  out.begin("futurerand_requests_total", PrometheusWriter::Kind::kCounter,
            "Answered requests, by class of status.");
  for (std::size_t i = 1; i < requests_.size(); ++i) {
    out.sample(requests_[i], {{"status", std::to_string(i) + "xx"}});
  }
  if (tls == nullptr) return std::move(out).take();
  out.begin("futurerand_tls_handshakes_total", PrometheusWriter::Kind::kCounter,
            "TLS handshakes, by outcome.");
  out.sample(handshakes_[0], {{"outcome", "failed"}}).sample(handshakes_[1], {{"outcome", "done"}});
  out.gauge("futurerand_tls_certificate_expires_seconds",
            "Expiry of the certificate, in seconds since 1970.",
            static_cast<std::uint64_t>(tls->expires()));
  return std::move(out).take();
}

}  // namespace futurerand
