#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "futurerand/collector/api/health.hpp"
#include "futurerand/collector/api/seasons.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/documents/prometheus_writer.hpp"

namespace futurerand {
namespace {

// Looking takes time in proportion to it, at each scrape.
constexpr Period kLongestWatched = 4096;

struct DueReports {
  std::uint64_t expected = 0;
  std::uint64_t received = 0;
};

DueReports due_at(const MetricSnapshot& metric, Period period) {
  DueReports due;
  const Plan& plan = metric.definition->plan;
  for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
    const Schedule schedule(plan.views[view], plan.num_periods);
    const std::vector<std::uint64_t> expected = metric.sums.expected_reports(view);
    for (std::uint32_t index = 1; index <= expected.size(); ++index) {
      if (schedule.due(index) != period) continue;
      due.expected += expected[index - 1];
      due.received += metric.sums.at(view, index).count;
    }
  }
  return due;
}

DueReports last_due(const MetricSnapshot& metric, Instant now) {
  return due_at(metric,
                std::min(metric.current_period(now) - 1, metric.definition->plan.num_periods));
}

}  // namespace

std::string lag_prometheus(const Snapshot& snapshot, Instant now) {
  std::vector<std::pair<std::string_view, DueReports>> watched;
  for (const auto& [name, number] : *snapshot.numbers) {
    const MetricSnapshot& metric = *snapshot.metrics[number];
    if (season_named(name) || metric.definition->plan.num_periods > kLongestWatched ||
        metric.current_period(now) <= 1) {
      continue;
    }
    watched.emplace_back(name, last_due(metric, now));
    if (!metric.definition->seasons) continue;
    watched.back().second = {};
    for (const auto& [season, of] : seasons_of(snapshot, metric)) {
      if (of->state(now) != "open" || of->current_period(now) <= 1) continue;
      const DueReports due = last_due(*of, now);
      watched.back().second.expected += due.expected;
      watched.back().second.received += due.received;
    }
  }
  PrometheusWriter out;
  out.begin("futurerand_reports_due", PrometheusWriter::Kind::kGauge,
            "Reports due by the end of the last period.");
  for (const auto& [name, due] : watched) out.sample(due.expected, {{"metric", name}});
  out.begin("futurerand_reports_due_received", PrometheusWriter::Kind::kGauge,
            "Received reports among them.");
  for (const auto& [name, due] : watched) out.sample(due.received, {{"metric", name}});
  return std::move(out).take();
}

}  // namespace futurerand
