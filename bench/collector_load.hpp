// Shared by the benchmarks of the collector: a collector in this process, an endless supply of
// lines, and the cost of sending them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "bench/http_load.hpp"
#include "futurerand/collector/http/service.hpp"
#include "futurerand/transport/http_connection.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::bench {

using Clock = std::chrono::steady_clock;

inline constexpr Period kPeriods = 1024;
inline constexpr std::size_t kBatch = 1000;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

inline Instant now() {
  return std::chrono::time_point_cast<Instant::duration>(std::chrono::system_clock::now());
}

// An endless supply of lines of many devices: each sends its next index.
class Lines {
 public:
  Lines(const Plan& plan, std::size_t devices) : devices_(devices) {
    std::mt19937_64 random(7);
    for (Device& device : devices_) {
      for (std::uint8_t& byte : device.id.bytes) byte = static_cast<std::uint8_t>(random());
      device.sign = sign_of(random() % 2 != 0);
    }
    while (plan.views[view_].order != 0) ++view_;
  }
  void enrolments(std::size_t first, std::size_t count, std::string& body) const {
    for (std::size_t i = first; i < std::min(first + count, devices_.size()); ++i) {
      body += to_line(Enrolment{devices_[i].id, view_, 1, 0}) + "\n";
    }
  }
  // Returns the next line. No device may be past its last index.
  void next(std::string& body) {
    Device& device = devices_[at_];
    if (++at_ == devices_.size()) at_ = 0;
    body += to_line(Report{device.id, ++device.index, {1, device.sign}}) + "\n";
  }
  std::size_t capacity() const { return devices_.size() * kPeriods; }
  std::size_t size() const { return devices_.size(); }

 private:
  struct Device {
    ClientId id;
    std::uint32_t index = 0;
    Sign sign = Sign::kPlus;
  };
  std::vector<Device> devices_;
  std::uint32_t view_ = 0;
  std::size_t at_ = 0;
};

// A collector in this process, with a metric after its last period.
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
  // Every sent line must have counted. Otherwise the figures are wrong.
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
  std::filesystem::path folder;
};

// Returns the CPU time of this process, the fleet included. A noisy neighbour does not change it.
inline double cpu_seconds(int whose = RUSAGE_SELF) {
  rusage usage{};
  getrusage(whose, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Rate {
  double per_second = 0;
  double cpu_microseconds = 0;  // each
  std::size_t sent = 0;
};

inline Rate send_all(std::uint16_t port, unsigned connections,
                     std::span<const std::string> requests, double seconds) {
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
  return {sent / seconds_since(begin), 1e6 * (cpu_seconds() - cpu) / sent, at};
}

inline void enrol(Running& collector, const Lines& lines, const std::string& metric = "m") {
  std::vector<std::string> requests;
  for (std::size_t first = 0; first < lines.size(); first += 10'000) {
    std::string body;
    lines.enrolments(first, 10'000, body);
    requests.push_back(post_request("/v1/metrics/" + metric + "/reports", body));
  }
  send_all(collector.port(), 1, requests, 1e9);
}

// Reads the flags of a benchmark, and exits on an unknown one. Its folder is named after the
// program, because tests run several at once.
inline Options options_of(int argc, char** argv) {
  Options options;
  options.folder = std::filesystem::temp_directory_path() /
                   ("futurerand_" + std::filesystem::path(argv[0]).filename().string());
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
                   "usage: %s [--seconds S] [--connections C] [--clients N] [--folder DIR]\n",
                   argv[0]);
      std::exit(2);
    }
  }
  return options;
}

}  // namespace futurerand::bench
