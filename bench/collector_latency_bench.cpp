// Latency of one report while the collector is busy:
//   a neighbour    one report at a time to a metric, alone and while another is flooded
//   a checkpoint   the same while a checkpoint of N clients is cut
//
// collector_latency_bench [--seconds S] [--clients N] [--folder DIR]; short runs are only smoke
// tests.
#include <atomic>

#include "bench/collector_load.hpp"

namespace futurerand::bench {
namespace {

struct Latency {
  double median = 0;
  double p99 = 0;
  double worst = 0;
};

// Measures one report at a time, over a few connections, for this number of seconds.
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

// Floods a metric with batches, from several connections, until it ends.
class Flood {
 public:
  Flood(std::uint16_t port, const std::vector<std::string>& requests, std::size_t& next)
      : thread_([this, port, &requests, &next] {
          HttpLoad load(port, 8);
          load.run([&]() -> const std::string* {
            return stop_ || next == requests.size() ? nullptr : &requests[next++];
          });
        }) {}
  ~Flood() {
    stop_ = true;
    thread_.join();
  }
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// Alone and beside a flood in turns, to spread the machine's other load evenly.
void neighbour(const Options& options) {
  constexpr int kRounds = 5;
  const double seconds = options.seconds / kRounds;
  Running collector(options.folder);
  collector.create("b");
  Lines of_b(collector.plan(), 100'000);
  enrol(collector, of_b, "b");
  Lines of_a(collector.plan(), 200'000);
  enrol(collector, of_a);
  // They are made before, so that making them takes no part of the cores.
  std::vector<std::string> requests;
  for (double i = 0; i < std::max(20.0, 2000 * options.seconds); ++i) {
    std::string body;
    for (std::size_t line = 0; line < kBatch; ++line) of_a.next(body);
    requests.push_back(post_request("/v1/metrics/m/reports", body));
  }
  std::size_t sent = 0;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    const Latency alone = latency_of_reports(collector, of_b, "b", seconds);
    const std::size_t before = sent;
    Latency beside;
    {
      const Flood flood(collector.port(), requests, sent);
      beside = latency_of_reports(collector, of_b, "b", seconds);
    }
    ratios.push_back(beside.p99 / alone.p99);
    std::printf(
        "  one report takes %.2f ms alone (p99 %.2f), %.2f ms (p99 %.2f, worst %.2f) while another "
        "metric gets %.0f reports/s%s\n",
        alone.median, alone.p99, beside.median, beside.p99, beside.worst,
        static_cast<double>((sent - before) * kBatch) / seconds,
        sent == requests.size() ? " (and then no more)" : "");
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf(
      "a neighbour: p99 beside a flood is %.1f times that alone (%.1f to %.1f in %d rounds; "
      "at most 3 on quiet cores)\n",
      ratios[ratios.size() / 2], ratios.front(), ratios.back(), kRounds);
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
      "a checkpoint of %zu clients (%.0f MB, %llu slices, %llu above 25 ms, longest pause of the "
      "writer %.1f ms): one report takes %.2f ms, p99 %.2f, worst %.2f (below 100)\n",
      options.clients, static_cast<double>(figures.checkpoint_bytes) / 1e6,
      static_cast<unsigned long long>(slices), static_cast<unsigned long long>(slow_slices),
      static_cast<double>(figures.pauses.longest_microseconds()) / 1e3, during.median, during.p99,
      during.worst);
}

}  // namespace
}  // namespace futurerand::bench

int main(int argc, char** argv) {
  const futurerand::bench::Options options = futurerand::bench::options_of(argc, argv);
  futurerand::bench::neighbour(options);
  futurerand::bench::during_a_checkpoint(options);
  std::filesystem::remove_all(options.folder);
}
