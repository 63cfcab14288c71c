#include "futurerand/collector/api/health.hpp"

namespace futurerand {
namespace {

std::string milliseconds_as_seconds(std::uint64_t value) {
  std::string digits = std::to_string(value);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return digits.insert(digits.size() - 3, ".");
}

std::string histogram(const std::string& name, const std::string& help,
                      const LatencyCounts& counts) {
  std::string out = "# HELP " + name + " " + help + "\n# TYPE " + name + " histogram\n";
  std::uint64_t total = 0;
  for (std::size_t at = 0; at <= LatencyCounts::kBoundsMs.size(); ++at) {
    total += counts.count(at);
    const std::string bound = at < LatencyCounts::kBoundsMs.size()
                                  ? milliseconds_as_seconds(LatencyCounts::kBoundsMs[at])
                                  : "+Inf";
    out += name + "_bucket{le=\"" + bound + "\"} " + std::to_string(total) + "\n";
  }
  out += name + "_sum " + milliseconds_as_seconds(counts.total_microseconds() / 1000) + "\n";
  return out + name + "_count " + std::to_string(total) + "\n";
}

}  // namespace

ApiResponse health_response(const Intake& writer, bool demo) {
  const bool ok = writer.figures().has_room;
  ApiResponse response =
      json_response(std::string("{\"status\":") + (ok ? "\"ok\"" : "\"no_room\"") + ",\"demo\":" +
                    (demo ? "true" : "false") + (writer.as_of() ? ",\"cluster\":true" : "") +
                    ",\"sequence\":" + std::to_string(writer.snapshot()->sequence) + "}");
  if (!ok) response.status = 503;
  return response;
}

ApiResponse ready_response(const Intake& writer, std::chrono::milliseconds stall_limit) {
  const std::chrono::milliseconds stalled = writer.stalled();
  const char* status = "ready";
  if (!writer.figures().has_room) status = "no_room";
  if (stalled > stall_limit) status = "stalled";
  ApiResponse response =
      json_response(std::string("{\"status\":\"") + status +
                    "\",\"disk_waits_ms\":" + std::to_string(stalled.count()) + "}");
  if (status != std::string_view("ready")) response.status = 503;
  return response;
}

ApiResponse prometheus_response(const Intake& writer, Instant now, const std::string& more) {
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
        snapshot->metrics[number]->current_period(now));
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
  const WriterFigures& figures = writer.figures();
  out +=
      "# HELP futurerand_state_bytes Memory of devices and sums.\n"
      "# TYPE futurerand_state_bytes gauge\n";
  put("futurerand_state_bytes", "", figures.state_bytes);
  out +=
      "# HELP futurerand_checkpoint_bytes Size of the newest checkpoint.\n"
      "# TYPE futurerand_checkpoint_bytes gauge\n";
  put("futurerand_checkpoint_bytes", "", figures.checkpoint_bytes);
  out +=
      "# HELP futurerand_log_bytes Log that a start would replay.\n"
      "# TYPE futurerand_log_bytes gauge\n";
  put("futurerand_log_bytes", "", figures.log_bytes);
  out +=
      "# HELP futurerand_refused_memory_total Requests refused for want of memory.\n"
      "# TYPE futurerand_refused_memory_total counter\n";
  put("futurerand_refused_memory_total", "", figures.refused_memory);
  out +=
      "# HELP futurerand_disk_waits_seconds How long the disk has not come back by now.\n"
      "# TYPE futurerand_disk_waits_seconds gauge\n";
  put("futurerand_disk_waits_seconds", "",
      static_cast<std::uint64_t>(writer.stalled().count()) / 1000);
  out += histogram("futurerand_commit_seconds", "How long making a group durable took.",
                   figures.commits);
  out += histogram("futurerand_checkpoint_slice_seconds",
                   "How long a slice of a checkpoint kept writes waiting.", figures.slices);
  out += histogram("futurerand_writer_pause_seconds",
                   "How long writes waited between two groups, for a checkpoint or other upkeep.",
                   figures.pauses);
  out +=
      "# HELP futurerand_writer_longest_pause_seconds The longest of these pauses since the "
      "start.\n"
      "# TYPE futurerand_writer_longest_pause_seconds gauge\n"
      "futurerand_writer_longest_pause_seconds " +
      milliseconds_as_seconds(figures.pauses.longest_microseconds() / 1000) + "\n";
  out += more;
  return {200, "text/plain; version=0.0.4; charset=utf-8", out};
}

}  // namespace futurerand
