// How fast the collector is, each figure beside the least that any collector must do, both in this
// process and in this run:
//   one report a request   against the same server with a handler that does nothing
//   batches of 1,000       against only parsing the same lines and appending them to a file, with
//                          as many syncs
//   reading estimates      for d = 1024
//
// collector_bench [--seconds S] [--connections C] [--folder DIR]; short runs only show that it
// works.
#include <mutex>

#include <fcntl.h>
#include <unistd.h>

#include "bench/collector_load.hpp"
#include "futurerand/collector/api/report_lines.hpp"

namespace futurerand::bench {
namespace {

class Nothing final : public HttpHandler {
 public:
  void handle(ApiRequest, Respond respond) override { respond({200, "application/json", "{}\n"}); }
};

void one_report_a_request(const Options& options) {
  Running collector(options.folder);
  Lines lines(collector.plan(), 10'000);
  enrol(collector, lines);
  const auto count = static_cast<std::size_t>(std::max(200.0, 100'000 * options.seconds));
  std::vector<std::string> requests;
  for (std::size_t i = 0; i < std::min(count, lines.capacity()); ++i) {
    std::string body;
    lines.next(body);
    requests.push_back(post_request("/v1/metrics/m/reports", body));
  }
  Nothing handler;
  ServerOptions server;
  server.port = 0;
  Result<std::unique_ptr<HttpServer>> nothing = HttpServer::listen(server, handler);
  if (!nothing) std::abort();
  std::thread thread([&] { (*nothing)->run(); });
  const Rate least = send_all((*nothing)->port(), options.connections, requests, options.seconds);
  (*nothing)->stop();
  thread.join();
  const std::uint64_t groups = collector.writer().figures().groups;
  const Rate rate = send_all(collector.port(), options.connections, requests, options.seconds);
  collector.check();
  std::printf(
      "one report a request, %u connections: %.0f durable reports/s in %.0f groups/s, %.1f us of "
      "CPU "
      "each; a handler that does nothing %.0f/s, %.1f us; ratio %.2f (at least 0.50)\n",
      options.connections, rate.per_second,
      static_cast<double>(collector.writer().figures().groups - groups) / options.seconds,
      rate.cpu_microseconds, least.per_second, least.cpu_microseconds,
      rate.per_second / least.per_second);
}

// This is what any collector must do: parse, append, sync as often.
double parse_and_append(const Options& options, const Plan& plan,
                        const std::vector<std::string>& bodies, std::uint64_t syncs) {
  const std::filesystem::path path = options.folder.string() + ".append";
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  std::mutex mutex;
  std::size_t next = 0;
  std::size_t appended = 0;
  std::size_t synced = 0;
  const Clock::time_point begin = Clock::now();
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
  const double seconds = seconds_since(begin);
  close(file);
  std::filesystem::remove(path);
  return static_cast<double>(bodies.size() * kBatch) / seconds;
}

void batches(const Options& options) {
  Running collector(options.folder);
  const Plan plan = collector.plan();
  Lines lines(plan, 200'000);
  enrol(collector, lines);
  const auto count = static_cast<std::size_t>(std::max(20.0, 1000 * options.seconds));
  std::vector<std::string> bodies;
  std::vector<std::string> requests;
  for (std::size_t i = 0; i < count; ++i) {
    std::string& body = bodies.emplace_back();
    for (std::size_t line = 0; line < kBatch; ++line) lines.next(body);
    requests.push_back(post_request("/v1/metrics/m/reports", body));
  }
  const std::uint64_t groups = collector.writer().figures().groups;
  // There are a few connections: more would only wait, and a device's own batches must stay in
  // order.
  const Clock::time_point begin = Clock::now();
  const Rate sent = send_all(collector.port(), 8, requests, 1e9);
  const double rate = kBatch * sent.per_second;
  const double seconds = seconds_since(begin);
  const std::uint64_t syncs = collector.writer().figures().groups - groups;
  collector.check();
  const double least = parse_and_append(options, plan, bodies, std::max<std::uint64_t>(syncs, 1));
  std::printf(
      "batches of %zu: %.0f durable reports/s (%.0f groups/s; at least 500,000 on two quiet "
      "cores), %.2f us of CPU each; only parsing and appending %.0f/s; ratio %.2f (at least "
      "0.50)\n",
      kBatch, rate, static_cast<double>(syncs) / seconds, sent.cpu_microseconds / kBatch, least,
      rate / least);

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
