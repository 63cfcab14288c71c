#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "futurerand/collector/api/health.hpp"

namespace futurerand {
namespace {

void put_figure(std::string& out, std::string_view name, std::string_view kind,
                std::string_view help, const std::string& value) {
  out.append("# HELP ").append(name).append(" ").append(help);
  out.append("\n# TYPE ").append(name).append(" ").append(kind);
  out.append("\n").append(name).append(" ").append(value).append("\n");
}

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
  std::string out =
      "# HELP futurerand_build_info What runs; always 1.\n"
      "# TYPE futurerand_build_info gauge\n"
      "futurerand_build_info{version=\"" FUTURERAND_VERSION "\",compiler=\"" __VERSION__ "\"} 1\n";
  rusage used{};
  if (getrusage(RUSAGE_SELF, &used) == 0) {
    const auto milliseconds =
        static_cast<std::uint64_t>((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
                                   (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
    const std::string part = std::to_string(1000 + milliseconds % 1000).substr(1);
    put_figure(out, "process_cpu_seconds_total", "counter", "Time of processors that was used.",
               std::to_string(milliseconds / 1000) + "." + part);
  }
  // proc(5): field 22 is the start in ticks after boot, field 24 the resident pages.
  const std::vector<std::string> fields = stat_fields();
  if (fields.size() > 21) {
    const std::uint64_t ticks = std::stoull(fields[19]);
    const std::uint64_t per_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    const std::uint64_t age = seconds_since_boot() - ticks / per_second;
    put_figure(out, "process_start_time_seconds", "gauge", "When it started, since 1970.",
               std::to_string(static_cast<std::uint64_t>(std::time(nullptr)) - age));
    const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    put_figure(out, "process_resident_memory_bytes", "gauge", "Memory that it holds.",
               std::to_string(std::stoull(fields[21]) * page));
  }
  put_figure(out, "process_open_fds", "gauge", "Files and sockets that are open.",
             std::to_string(open_files()));
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    put_figure(out, "process_max_fds", "gauge", "Files and sockets that may be open.",
               std::to_string(files.rlim_cur));
  }
  return out;
}

}  // namespace futurerand
