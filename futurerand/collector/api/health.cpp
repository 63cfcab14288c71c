#include "futurerand/collector/api/health.hpp"

namespace futurerand {

ApiResponse health_response(const Writer& writer, bool demo) {
  const bool ok = writer.figures().has_room;
  ApiResponse response =
      json_response(std::string("{\"status\":") + (ok ? "\"ok\"" : "\"no_room\"") +
                    ",\"demo\":" + (demo ? "true" : "false") +
                    ",\"sequence\":" + std::to_string(writer.snapshot()->sequence) + "}");
  if (!ok) response.status = 503;
  return response;
}

ApiResponse prometheus_response(const Writer& writer, Instant now, const std::string& more) {
  const std::shared_ptr<const Snapshot> snapshot = writer.snapshot();
  std::string out =
      "# HELP futurerand_lines_total Lines that devices sent, since the start.\n"
      "# TYPE futurerand_lines_total counter\n";
  const auto put = [&](const std::string& name, const std::string& labels, std::uint64_t value) {
    out += name;
    if (!labels.empty()) out += '{' + labels + '}';
    out += ' ' + std::to_string(value) + '\n';
  };
  for (const auto& [name, number] : *snapshot->numbers) {
    const LineCounts& lines = snapshot->metrics[number]->lines;
    const std::string metric = "metric=\"" + name + "\",outcome=";
    put("futurerand_lines_total", metric + "\"accepted\"", lines.accepted);
    put("futurerand_lines_total", metric + "\"duplicate\"", lines.duplicates);
    put("futurerand_lines_total", metric + "\"rejected\"", lines.rejected);
    put("futurerand_lines_total", metric + "\"early\"", lines.early);
  }
  out +=
      "# HELP futurerand_devices Devices enrolled.\n"
      "# TYPE futurerand_devices gauge\n";
  for (const auto& [name, number] : *snapshot->numbers) {
    put("futurerand_devices", "metric=\"" + name + "\"", snapshot->metrics[number]->devices);
  }
  out +=
      "# HELP futurerand_current_period The period that is running.\n"
      "# TYPE futurerand_current_period gauge\n";
  for (const auto& [name, number] : *snapshot->numbers) {
    put("futurerand_current_period", "metric=\"" + name + "\"",
        snapshot->metrics[number]->period_at(now));
  }
  out +=
      "# HELP futurerand_log_groups_total Groups made durable, since the start.\n"
      "# TYPE futurerand_log_groups_total counter\n";
  put("futurerand_log_groups_total", "", writer.figures().groups);
  out +=
      "# HELP futurerand_waiting_bytes Memory of requests that wait for the log.\n"
      "# TYPE futurerand_waiting_bytes gauge\n";
  put("futurerand_waiting_bytes", "", writer.figures().waiting_bytes);
  out +=
      "# HELP futurerand_log_has_room 0 while the disk is full.\n"
      "# TYPE futurerand_log_has_room gauge\n";
  put("futurerand_log_has_room", "", writer.figures().has_room ? 1 : 0);
  out += more;
  return {200, "text/plain; version=0.0.4; charset=utf-8", out};
}

}  // namespace futurerand
