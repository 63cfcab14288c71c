// The cost of TLS for a collector: its CPU time for a request over a kept-alive connection, with
// TLS and without. Only the collector's threads count, not the client's.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include <benchmark/benchmark.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/resource.h>

#include "futurerand/collector/http/service.hpp"
#include "futurerand/core/base/test/temporary_folder.hpp"
#include "futurerand/transport/http_connection.hpp"

namespace futurerand::bench {
namespace {

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

// Writes a self-signed certificate for 127.0.0.1, and its key.
void write_identity(const std::string& certificate_path, const std::string& key_path) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 86'400);
  X509_set_pubkey(certificate.get(), key.get());
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> name(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1"),
      X509_EXTENSION_free);
  X509_add_ext(certificate.get(), name.get(), -1);
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;
  const File certificate_file(std::fopen(certificate_path.c_str(), "w"), std::fclose);
  const File key_file(std::fopen(key_path.c_str(), "w"), std::fclose);
  if (!certificate_file || !key_file ||
      PEM_write_X509(certificate_file.get(), certificate.get()) != 1 ||
      PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    stop("the certificate cannot be written");
  }
}

double cpu_seconds(int whose) {
  rusage used{};
  getrusage(whose, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// Returns the CPU time of all threads except this one.
double others_cpu_seconds() { return cpu_seconds(RUSAGE_SELF) - cpu_seconds(RUSAGE_THREAD); }

class TlsCollector {
 public:
  explicit TlsCollector(bool tls) {
    const auto now = [] {
      return std::chrono::time_point_cast<Instant::duration>(std::chrono::system_clock::now());
    };
    ServiceOptions options;
    options.store.folder = folder_ / "data";
    options.writer.now = options.api.now = now;
    options.writer.die = stop;
    options.api.tokens->replace({.admin = {"a token"}});
    options.server.port = 0;
    if (tls) {
      write_identity(certificate(), folder_ / "key");
      auto identity = TlsIdentity::load({certificate(), folder_ / "key"});
      if (!identity) stop(identity.error().message);
      options.server.tls = *std::move(identity);
    }
    Result<std::unique_ptr<Service>> started = Service::start(options);
    if (!started) stop(started.error().message);
    service_ = *std::move(started);
    thread_ = std::thread([this] { service_->run(); });
    connection_ = std::make_unique<HttpConnection>(
        ServerAddress{"127.0.0.1", service_->port(), tls, tls ? certificate() : "", "a token"},
        std::chrono::seconds(30));
    ask("PUT", "/v1/metrics/m",
        R"({"periods":64,"max_changes":2,"epsilon":"1","protocol":"optimal","clock":"manual"})");
  }
  ~TlsCollector() {
    connection_.reset();
    service_->stop();
    thread_.join();
    service_.reset();
  }

  void ask(const char* method, const char* path, const std::string& body) {
    const Result<HttpReply> reply = connection_->exchange(method, path, body);
    if (!reply) stop(reply.error().message);
    if (reply->status >= 300) stop(reply->body);
  }

 private:
  std::string certificate() const { return folder_ / "certificate"; }

  const test::TemporaryFolder folder_;
  std::unique_ptr<Service> service_;
  std::thread thread_;
  std::unique_ptr<HttpConnection> connection_;
};

// One device enrols in each request.
void BM_RequestCpu(benchmark::State& state) {
  static double plain = 0;  // of a request, in seconds
  const bool tls = state.range(0) != 0;
  TlsCollector collector(tls);
  std::uint64_t number = 0;
  const double begin = others_cpu_seconds();
  for (auto _ : state) {
    char line[96];
    std::snprintf(line, sizeof(line), R"({"client":"%032llx","view":0,"period":1})",
                  static_cast<unsigned long long>(++number));
    collector.ask("POST", "/v1/metrics/m/reports", line);
  }
  const double each = (others_cpu_seconds() - begin) / static_cast<double>(number);
  if (!tls) plain = each;
  state.counters["cpu_us"] = 1e6 * each;
  if (tls && plain > 0) state.counters["times_plain"] = each / plain;
}
BENCHMARK(BM_RequestCpu)->ArgName("tls")->Arg(0)->Arg(1)->UseRealTime();

}  // namespace
}  // namespace futurerand::bench
