#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "futurerand/collector/api/health.hpp"
#include "futurerand/documents/prometheus_writer.hpp"

namespace futurerand {
namespace {

// Of /proc/self/stat what stands behind the program's name, which may have anything in it.
std::vector<std::string> stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream rest(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::vector<std::string> fields;
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

std::uint64_t seconds_since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec);
}

std::uint64_t open_files() {
  std::error_code failed;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", failed), end; !failed && at != end;
       at.increment(failed)) {
    ++count;
  }
  return count;
}

}  // namespace

std::string process_prometheus() {
  PrometheusWriter out;
  out.begin("futurerand_build_info", PrometheusWriter::Kind::kGauge,
            "The running version; always 1.");
  out.sample(1, {{"version", FUTURERAND_VERSION}, {"compiler", __VERSION__}});
  rusage used{};
  if (getrusage(RUSAGE_SELF, &used) == 0) {
    out.begin("process_cpu_seconds_total", PrometheusWriter::Kind::kCounter,
              "Used processor time.");
    out.seconds(static_cast<std::uint64_t>((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
                                           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000));
  }
  // proc(5): field 22 is the start in ticks after boot, field 24 the resident pages.
  const std::vector<std::string> fields = stat_fields();
  if (fields.size() > 21) {
    const std::uint64_t ticks = std::stoull(fields[19]);
    const std::uint64_t per_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    const std::uint64_t age = seconds_since_boot() - ticks / per_second;
    out.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.",
              static_cast<std::uint64_t>(std::time(nullptr)) - age);
    const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    out.gauge("process_resident_memory_bytes", "Resident memory.", std::stoull(fields[21]) * page);
  }
  out.gauge("process_open_fds", "Open files and sockets.", open_files());
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    out.gauge("process_max_fds", "Maximum number of open files and sockets.", files.rlim_cur);
  }
  return std::move(out).take();
}

}  // namespace futurerand
