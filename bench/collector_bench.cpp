// How fast the collector is, each figure beside the least that any collector must do, both in this
// process and in this run:
//   one report a request   against the same server with a handler that does nothing
//   batches of 1,000       against only parsing the same lines and appending them to a file, with
//   as
//                          many syncs
//   reading estimates      for d = 1024
//   a neighbour            one report at a time to a metric, alone and while another is flooded
//   a checkpoint           the same while a checkpoint of N clients is cut
//
// collector_bench [--seconds S] [--connections C] [--clients N] [--folder DIR]; short runs only
// show that it works.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/http_load.hpp"
#include "futurerand/collector/api/report_lines.hpp"
#include "futurerand/collector/http/service.hpp"
#include "futurerand/transport/http_connection.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Period kPeriods = 1024;
constexpr std::size_t kBatch = 1000;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Instant now() {
  return std::chrono::time_point_cast<Instant::duration>(std::chrono::system_clock::now());
}

class Nothing final : public HttpHandler {
 public:
  void handle(ApiRequest, Respond respond) override { respond({200, "application/json", "{}\n"}); }
};

// Gives lines of many devices that never run out: each sends its next index.
class Lines {
 public:
  Lines(const Plan& plan, std::size_t devices) : devices_(devices) {
    std::mt19937_64 random(7);
    for (Device& device : devices_) {
      for (std::uint8_t& byte : device.id.bytes) byte = static_cast<std::uint8_t>(random());
      device.sign = random() % 2 == 0 ? '+' : '-';
    }
    while (plan.views[view_].order != 0) ++view_;
  }
  void enrolments(std::size_t first, std::size_t count, std::string& body) const {
    for (std::size_t i = first; i < std::min(first + count, devices_.size()); ++i) {
      body += to_line(Enrolment{devices_[i].id, view_, 1, 0}) + "\n";
    }
  }
  // Returns the next line; requires that no device is past its last index.
  void next(std::string& body) {
    Device& device = devices_[at_];
    if (++at_ == devices_.size()) at_ = 0;
    body += to_line(Report{device.id, ++device.index, std::string(1, device.sign)}) + "\n";
  }
  std::size_t capacity() const { return devices_.size() * kPeriods; }
  std::size_t size() const { return devices_.size(); }

 private:
  struct Device {
    ClientId id;
    std::uint32_t index = 0;
    char sign = '+';
  };
  std::vector<Device> devices_;
  std::uint32_t view_ = 0;
  std::size_t at_ = 0;
};

// This is a collector in this process, with a metric whose periods are all over.
class Running {
 public:
  explicit Running(const std::filesystem::path& folder, std::uint64_t checkpoint_bytes = 64 << 20) {
    std::filesystem::remove_all(folder);
    ServiceOptions options;
    options.writer.checkpoint_bytes = checkpoint_bytes;
    options.store.folder = folder;
    options.writer.now = now;
    options.writer.die = [](const std::string& line) {
      std::fprintf(stderr, "%s\n", line.c_str());
      std::_Exit(1);
    };
    options.api.now = now;
    options.api.tokens->replace({.admin = {"token"}});
    options.server.port = 0;
    Result<std::unique_ptr<Service>> started = Service::start(options);
    if (!started) {
      std::fprintf(stderr, "%s\n", started.error().message.c_str());
      std::exit(1);
    }
    service_ = *std::move(started);
    thread_ = std::thread([this] { service_->run(); });
    create("m");
  }
  void create(const std::string& name) {
    HttpConnection admin({"127.0.0.1", port()}, std::chrono::seconds(10));
    // The last of 1025 periods has begun, so that 1024 reports of a device are due.
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const std::string start =
        std::to_string(now.time_since_epoch().count() - 1024 * std::int64_t{600'000} - 3600);
    const auto put = admin.exchange(
        "PUT", "/v1/metrics/" + name,
        R"({"periods":1025,"max_changes":4,"epsilon":"1","protocol":"hybrid","period_seconds":600000,"start":)" +
            start + "}",
        {{"Authorization", "Bearer token"}});
    if (!put || put->status != 201) std::abort();
  }
  ~Running() {
    service_->stop();
    thread_.join();
  }
  std::uint16_t port() const { return service_->port(); }
  Writer& writer() { return service_->writer(); }
  // Everything that was sent must have counted, or the figures are of something else.
  void check() {
    const LineCounts lines = writer().snapshot()->metrics[0]->lines;
    if (lines.rejected + lines.duplicates > 0) {
      std::fprintf(stderr, "%llu lines were rejected\n",
                   static_cast<unsigned long long>(lines.rejected + lines.duplicates));
      std::exit(1);
    }
  }
  Plan plan() { return writer().snapshot()->metrics[0]->definition->plan; }

 private:
  std::unique_ptr<Service> service_;
  std::thread thread_;
};

struct Options {
  double seconds = 5;
  unsigned connections = 256;
  std::size_t clients = 5'000'000;
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "futurerand_collector_bench";
};

// Returns the time of this process, the fleet included: what a noisy neighbour does not change.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Rate {
  double per_second = 0;
  double cpu_microseconds = 0;  // each
};

Rate send_all(std::uint16_t port, unsigned connections, const std::vector<std::string>& requests,
              double seconds) {
  HttpLoad load(port, connections);
  std::size_t at = 0;
  const Clock::time_point begin = Clock::now();
  const double cpu = cpu_seconds();
  const std::uint64_t ok = load.run([&]() -> const std::string* {
    if (at == requests.size() || seconds_since(begin) > seconds) return nullptr;
    return &requests[at++];
  });
  if (ok != at) std::printf("  %zu of %zu requests failed\n", at - ok, at);
  const auto sent = static_cast<double>(at);
  return {sent / seconds_since(begin), 1e6 * (cpu_seconds() - cpu) / sent};
}

void enrol(Running& collector, const Lines& lines, const std::string& metric = "m") {
  std::vector<std::string> requests;
  for (std::size_t first = 0; first < lines.size(); first += 10'000) {
    std::string body;
    lines.enrolments(first, 10'000, body);
    requests.push_back(post_request("/v1/metrics/" + metric + "/reports", body));
  }
  send_all(collector.port(), 1, requests, 1e9);
}

struct Latency {
  double median = 0;
  double p99 = 0;
  double worst = 0;
};

// Measures one report at a time, over a few connections, for so many seconds.
Latency latency_of_reports(Running& collector, Lines& lines, const std::string& metric,
                           double seconds) {
  HttpLoad load(collector.port(), 4);
  std::string request;
  const Clock::time_point begin = Clock::now();
  load.run([&]() -> const std::string* {
    if (seconds_since(begin) > seconds) return nullptr;
    std::string body;
    lines.next(body);
    request = post_request("/v1/metrics/" + metric + "/reports", body);
    return &request;
  });
  std::vector<double> times = load.milliseconds();
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 99 / 100], times.back()};
}

void neighbour(const Options& options) {
  Running collector(options.folder);
  collector.create("b");
  Lines of_b(collector.plan(), 100'000);
  enrol(collector, of_b, "b");
  Lines of_a(collector.plan(), 200'000);
  enrol(collector, of_a);
  const Latency alone = latency_of_reports(collector, of_b, "b", options.seconds);
  // They are made before, so that making them takes no part of the cores.
  std::vector<std::string> requests;
  for (double i = 0; i < std::max(20.0, 1000 * options.seconds); ++i) {
    std::string body;
    for (std::size_t line = 0; line < kBatch; ++line) of_a.next(body);
    requests.push_back(post_request("/v1/metrics/m/reports", body));
  }
  std::atomic<bool> stop = false;
  std::size_t sent = 0;
  std::thread flood([&] {
    HttpLoad load(collector.port(), 8);
    load.run([&]() -> const std::string* {
      return stop || sent == requests.size() ? nullptr : &requests[sent++];
    });
  });
  const Latency beside = latency_of_reports(collector, of_b, "b", options.seconds);
  stop = true;
  flood.join();
  std::printf(
      "a neighbour: one report takes %.2f ms alone (p99 %.2f), %.2f ms (p99 %.2f, worst %.2f) "
      "while "
      "another metric gets %.0f reports/s; p99 ratio %.1f (at most 3 on quiet cores)\n",
      alone.median, alone.p99, beside.median, beside.p99, beside.worst,
      static_cast<double>(sent * kBatch) / options.seconds, beside.p99 / alone.p99);
}

void during_a_checkpoint(const Options& options) {
  // An enrolment takes a little more than 20 bytes of log: the last ones make a checkpoint due.
  Running collector(options.folder, 20 * options.clients);
  Lines lines(collector.plan(), options.clients);
  enrol(collector, lines);
  const Latency during = latency_of_reports(collector, lines, "m", std::max(options.seconds, 0.5));
  const WriterFigures& figures = collector.writer().figures();
  std::uint64_t slices = 0;
  std::uint64_t slow_slices = 0;
  for (std::size_t at = 0; at <= LatencyCounts::kBoundsMs.size(); ++at) {
    slices += figures.slices.count(at);
    if (at >= 5) slow_slices += figures.slices.count(at);
  }
  std::printf(
      "a checkpoint of %zu clients (%.0f MB, %llu slices, %llu above 25 ms): one report takes %.2f "
      "ms, p99 %.2f, worst %.2f (below 100)\n",
      options.clients, static_cast<double>(figures.checkpoint_bytes) / 1e6,
      static_cast<unsigned long long>(slices), static_cast<unsigned long long>(slow_slices),
      during.median, during.p99, during.worst);
}

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

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag.starts_with("--benchmark_min_time")) {
      options.seconds = 0.05;  // how the tests run every benchmark
      options.clients = 20'000;
    } else if (flag == "--clients" && i + 1 < argc) {
      options.clients = static_cast<std::size_t>(std::atoll(argv[++i]));
    } else if (flag == "--seconds" && i + 1 < argc) {
      options.seconds = std::atof(argv[++i]);
    } else if (flag == "--connections" && i + 1 < argc) {
      options.connections = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (flag == "--folder" && i + 1 < argc) {
      options.folder = argv[++i];
    } else {
      std::fprintf(stderr,
                   "usage: collector_bench [--seconds S] [--connections C] [--clients N] [--folder "
                   "DIR]\n");
      return 2;
    }
  }
  one_report_a_request(options);
  batches(options);
  neighbour(options);
  during_a_checkpoint(options);
  std::filesystem::remove_all(options.folder);
  return 0;
}

}  // namespace
}  // namespace futurerand::bench

int main(int argc, char** argv) { return futurerand::bench::run(argc, argv); }
