#include "futurerand/collector/api/health.hpp"

#include <array>

#include "futurerand/collector/api/seasons.hpp"
#include "futurerand/documents/prometheus_writer.hpp"

namespace futurerand {
namespace {

void put_histogram(PrometheusWriter& out, std::string_view name, std::string_view help,
                   const LatencyCounts& latencies) {
  std::array<std::uint64_t, LatencyCounts::kBoundsMs.size() + 1> counts;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = latencies.count(i);
  out.histogram(name, help, LatencyCounts::kBoundsMs, counts,
                latencies.total_microseconds() / 1000);
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
  const WriterFigures& figures = writer.figures();
  using Kind = PrometheusWriter::Kind;
  PrometheusWriter out;
  out.begin("futurerand_lines_total", Kind::kCounter, "Received lines, since the start.");
  for (const auto& [name, number] : *snapshot->numbers) {
    if (season_named(name)) continue;
    const LineCounts lines = totals_of(*snapshot, *snapshot->metrics[number], now).lines;
    out.sample(lines.accepted, {{"metric", name}, {"outcome", "accepted"}});
    out.sample(lines.duplicates, {{"metric", name}, {"outcome", "duplicate"}});
    out.sample(lines.rejected, {{"metric", name}, {"outcome", "rejected"}});
    out.sample(lines.early, {{"metric", name}, {"outcome", "early"}});
  }
  out.begin("futurerand_devices", Kind::kGauge, "Enrolled devices.");
  for (const auto& [name, number] : *snapshot->numbers) {
    if (season_named(name)) continue;
    out.sample(totals_of(*snapshot, *snapshot->metrics[number], now).devices, {{"metric", name}});
  }
  out.begin("futurerand_current_period", Kind::kGauge, "The current period.");
  for (const auto& [name, number] : *snapshot->numbers) {
    if (season_named(name)) continue;
    out.sample(snapshot->metrics[number]->current_period(now), {{"metric", name}});
  }
  out.counter("futurerand_log_groups_total", "Commits to the log, since the start.",
              figures.groups);
  out.gauge("futurerand_waiting_bytes", "Memory of requests waiting for the log.",
            figures.waiting_bytes);
  out.gauge("futurerand_log_has_room", "0 while the disk is full.", figures.has_room ? 1 : 0);
  out.gauge("futurerand_state_bytes", "Memory of devices and sums.", figures.state_bytes);
  out.gauge("futurerand_checkpoint_bytes", "Size of the newest checkpoint.",
            figures.checkpoint_bytes);
  out.gauge("futurerand_log_bytes", "Size of the log replayed by a start.", figures.log_bytes);
  out.counter("futurerand_refused_memory_total", "Requests rejected because memory is full.",
              figures.refused_memory);
  out.gauge("futurerand_disk_waits_seconds", "Time since the current write to the disk began.",
            static_cast<std::uint64_t>(writer.stalled().count()) / 1000);
  put_histogram(out, "futurerand_commit_seconds", "Time of a commit.", figures.commits);
  put_histogram(out, "futurerand_checkpoint_slice_seconds",
                "Time that writes waited for a slice of a checkpoint.", figures.slices);
  put_histogram(out, "futurerand_writer_pause_seconds",
                "Time that writes waited between two commits, for a checkpoint or other upkeep.",
                figures.pauses);
  out.begin("futurerand_writer_longest_pause_seconds", Kind::kGauge,
            "The longest of these pauses, since the start.");
  out.seconds(figures.pauses.longest_microseconds() / 1000);
  return {200, "text/plain; version=0.0.4; charset=utf-8", std::move(out).take() + more};
}

}  // namespace futurerand
