// Measures the speed of the collector. Each figure is compared with the least work of any
// collector, measured in the same process and run:
//   one report a request   against the same server with an empty handler, and against nginx, if it
//                          is installed (Debian's nginx-light)
//   batches of 1,000       against only parsing the same lines and appending them to a file, with
//                          as many syncs
//   reading estimates      for d = 1024
//
// collector_bench [--seconds S] [--connections C] [--folder DIR]; short runs are only smoke tests.
#include <mutex>
#include <span>

#include <fcntl.h>
#include <unistd.h>

#include "bench/collector_load.hpp"
#include "bench/nginx.hpp"
#include "futurerand/collector/api/report_lines.hpp"

namespace futurerand::bench {
namespace {

class Nothing final : public HttpHandler {
 public:
  void handle(ApiRequest, Respond respond) override { respond({200, "application/json", "{}\n"}); }
};

// A server in this process with an empty handler.
class Idle {
 public:
  Idle() {
    ServerOptions options;
    options.port = 0;
    Result<std::unique_ptr<HttpServer>> made = HttpServer::listen(options, handler_);
    if (!made) std::abort();
    server_ = *std::move(made);
    thread_ = std::thread([this] { server_->run(); });
  }
  ~Idle() {
    server_->stop();
    thread_.join();
  }
  std::uint16_t port() const { return server_->port(); }

 private:
  Nothing handler_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

// The ratio of two speeds: in requests a second by the clock, and by CPU time each. A noisy
// neighbour changes the latter less.
class Ratio {
 public:
  void add(const Rate& one, const Rate& other) {
    clock_.push_back(one.per_second / other.per_second);
    cpu_.push_back(other.cpu_microseconds / one.cpu_microseconds);
    others_.push_back(other.cpu_microseconds);
  }
  void print(const char* other, const char* promise) const {
    if (clock_.empty()) return;
    std::printf("  of %s (%.1f us of CPU each): %.2f by the clock, %.2f by CPU time (%s)\n", other,
                median(others_), median(clock_), median(cpu_), promise);
  }

 private:
  std::vector<double> clock_;
  std::vector<double> cpu_;
  std::vector<double> others_;
};

Rate rate_of_nginx(const Options& options, std::span<const std::string> requests, double seconds) {
  Rate rate;
  const double children = cpu_seconds(RUSAGE_CHILDREN);
  {
    const Nginx nginx(options.folder.string() + ".nginx", ServerOptions().threads);
    rate = send_all(nginx.port(), options.connections, requests, seconds);
  }
  rate.cpu_microseconds +=
      1e6 * (cpu_seconds(RUSAGE_CHILDREN) - children) / static_cast<double>(rate.sent);
  return rate;
}

// All in turns, to spread the machine's other load evenly.
void one_report_a_request(const Options& options) {
  constexpr int kRounds = 5;
  const double seconds = options.seconds / kRounds;
  Running collector(options.folder);
  Lines lines(collector.plan(), 10'000);
  enrol(collector, lines);
  std::vector<std::string> requests(static_cast<std::size_t>(
      std::min(std::max(200.0, 100'000 * options.seconds), static_cast<double>(lines.capacity()))));
  for (std::string& request : requests) {
    std::string body;
    lines.next(body);
    request = post_request("/v1/metrics/m/reports", body);
  }
  const Idle nothing;
  Ratio of_nothing, of_nginx;
  std::vector<double> rates, costs;
  std::span<const std::string> rest(requests);
  const std::uint64_t groups = collector.writer().figures().groups;
  for (int round = 0; round < kRounds && !rest.empty(); ++round) {
    const Rate least = send_all(nothing.port(), options.connections, rest, seconds);
    const Rate other = Nginx::exists() ? rate_of_nginx(options, rest, seconds) : Rate{};
    const Rate rate = send_all(collector.port(), options.connections, rest, seconds);
    rest = rest.subspan(rate.sent);
    of_nothing.add(rate, least);
    if (other.sent > 0) of_nginx.add(rate, other);
    rates.push_back(rate.per_second);
    costs.push_back(rate.cpu_microseconds);
  }
  collector.check();
  const double all = static_cast<double>(requests.size() - rest.size());
  std::printf(
      "one report a request, %u connections: %.0f durable reports/s, %.1f us of CPU each, %.0f "
      "reports a group\n",
      options.connections, median(rates), median(costs),
      all / static_cast<double>(collector.writer().figures().groups - groups));
  of_nothing.print("a handler that does nothing", "at least 0.8");
  of_nginx.print("nginx", "at least 0.7");
}

// The work of any collector: parse, append, the same number of syncs.
Rate parse_and_append(const Options& options, const Plan& plan, std::span<const std::string> bodies,
                      std::uint64_t syncs) {
  const std::filesystem::path path = options.folder.string() + ".append";
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  std::mutex mutex;
  std::size_t next = 0;
  std::size_t appended = 0;
  std::size_t synced = 0;
  const Clock::time_point begin = Clock::now();
  const double cpu = cpu_seconds();
  const auto work = [&] {
    while (true) {
      std::size_t at = 0;
      {
        const std::lock_guard lock(mutex);
        if (next == bodies.size()) return;
        at = next++;
      }
      const ReportLines parsed = parse_report_lines(bodies[at], plan, false);
      if (!parsed.errors.empty()) std::abort();
      const std::lock_guard lock(mutex);
      if (write(file, bodies[at].data(), bodies[at].size()) < 0) std::abort();
      ++appended;
      if (appended * syncs / bodies.size() > synced) {
        ++synced;
        if (fdatasync(file) != 0) std::abort();
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
  const auto count = static_cast<double>(bodies.size());
  const Rate rate{count / seconds_since(begin), 1e6 * (cpu_seconds() - cpu) / count, bodies.size()};
  close(file);
  std::filesystem::remove(path);
  return rate;
}

void batches(const Options& options) {
  constexpr std::size_t kRounds = 5;
  Running collector(options.folder);
  const Plan plan = collector.plan();
  Lines lines(plan, 200'000);
  enrol(collector, lines);
  const auto count = static_cast<std::size_t>(std::max(20.0, 1000 * options.seconds)) / kRounds;
  Ratio ratio;
  std::vector<double> rates, costs;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::vector<std::string> bodies(count);
    std::vector<std::string> requests;
    for (std::string& body : bodies) {
      for (std::size_t line = 0; line < kBatch; ++line) lines.next(body);
      requests.push_back(post_request("/v1/metrics/m/reports", body));
    }
    const std::uint64_t groups = collector.writer().figures().groups;
    // There are a few connections: more would only wait, and a device's own batches must stay in
    // order.
    const Rate sent = send_all(collector.port(), 8, requests, 1e9);
    const std::uint64_t syncs = collector.writer().figures().groups - groups;
    ratio.add(sent, parse_and_append(options, plan, bodies, std::max<std::uint64_t>(syncs, 1)));
    rates.push_back(kBatch * sent.per_second);
    costs.push_back(sent.cpu_microseconds / kBatch);
  }
  collector.check();
  std::printf(
      "batches of %zu: %.0f durable reports/s (at least 500,000 on two quiet cores), %.2f us of "
      "CPU each\n",
      kBatch, median(rates), median(costs));
  ratio.print("only parsing and appending", "at least 0.75");

  HttpConnection reader({"127.0.0.1", collector.port()}, std::chrono::seconds(10));
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) {
    const Clock::time_point asked = Clock::now();
    const auto reply = reader.exchange("GET", "/v1/metrics/m/estimates", "");
    if (!reply || reply->status != 200) std::abort();
    times.push_back(1000 * seconds_since(asked));
  }
  std::sort(times.begin(), times.end());
  std::printf("reading %u estimates: median %.2f ms, slowest %.2f ms (under 5 ms)\n", kPeriods,
              times[times.size() / 2], times.back());
}

}  // namespace
}  // namespace futurerand::bench

int main(int argc, char** argv) {
  const futurerand::bench::Options options = futurerand::bench::options_of(argc, argv);
  futurerand::bench::one_report_a_request(options);
  futurerand::bench::batches(options);
  std::filesystem::remove_all(options.folder);
}
