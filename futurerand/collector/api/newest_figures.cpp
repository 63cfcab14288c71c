#include "futurerand/collector/api/newest_figures.hpp"

#include <chrono>
#include <cmath>

#include "futurerand/documents/prometheus_writer.hpp"
#include "futurerand/estimator/answer.hpp"

namespace futurerand {
namespace {

// While reports stream in, the estimates of a metric are not made again sooner.
constexpr std::chrono::seconds kLeastAge{5};

std::vector<AnswerRow> newest_rows(const MetricSnapshot& metric, Period current) {
  const MetricDefinition& definition = *metric.definition;
  // An endless metric is answered from the panels of its seasons.
  if (definition.seasons || metric.final_panel != nullptr) return {};
  Question question;
  question.inactive_after = definition.inactive_after;
  question.influence = false;
  question.values.candidates = metric.candidates;
  question.from = last_complete(definition, current);
  if (question.from == 0) return {};
  const Folded folded{metric.sums, metric.presence.get(), current, definition.asked_share()};
  Result<Answer> found = answer(definition.plan, folded, question);
  if (!found || found->rows.size() > NewestFigures::kMostRows) return {};
  const std::size_t strata = definition.plan.segments.num_strata();
  if (definition.plan.segments.empty() || found->rows.size() * strata > NewestFigures::kMostRows) {
    return found->rows;
  }
  question.by_segment = true;
  const Result<Answer> by_segment = answer(definition.plan, folded, question);
  if (!by_segment) return found->rows;
  found->rows.insert(found->rows.end(), by_segment->rows.begin(), by_segment->rows.end());
  return found->rows;
}

struct Gauge {
  const char* name;
  const char* help;
  double (*value)(const AnswerRow&);
};

constexpr Gauge kGauges[] = {
    {"futurerand_estimate", "Newest estimate, in devices or whole ranges.",
     [](const AnswerRow& row) { return row.estimate; }},
    {"futurerand_estimate_lower", "Lower end of its 95% range.",
     [](const AnswerRow& row) { return row.band.lower; }},
    {"futurerand_estimate_upper", "Upper end of its 95% range.",
     [](const AnswerRow& row) { return row.band.upper; }},
    {"futurerand_share", "The same as a share of the devices counted in that period.",
     [](const AnswerRow& row) { return row.share(); }},
    {"futurerand_share_lower", "Lower end of the share's 95% range.",
     [](const AnswerRow& row) { return row.share_band().lower; }},
    {"futurerand_share_upper", "Upper end of the share's 95% range.",
     [](const AnswerRow& row) { return row.share_band().upper; }},
    {"futurerand_counted_devices", "Devices counted in that period.",
     [](const AnswerRow& row) { return static_cast<double>(row.devices); }},
};

}  // namespace

const std::vector<AnswerRow>& NewestFigures::rows_of(const MetricSnapshot& metric, Instant now) {
  const Period current = metric.current_period(now);
  Made& made = made_[metric.number];
  const bool changed = made.version != metric.version && now - made.at >= kLeastAge;
  if (made.at == Instant{} || made.period != current || changed) {
    made = {metric.version, current, now, newest_rows(metric, current)};
  }
  return made.rows;
}

std::string NewestFigures::prometheus(const Snapshot& snapshot, Instant now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(made_, [&](const auto& made) {
    return made.first >= snapshot.metrics.size() || snapshot.metrics[made.first] == nullptr;
  });
  PrometheusWriter out;
  for (const Gauge& gauge : kGauges) {
    out.begin(gauge.name, PrometheusWriter::Kind::kGauge, gauge.help);
    for (const auto& [name, number] : *snapshot.numbers) {
      const MetricSnapshot& metric = *snapshot.metrics[number];
      if (metric.archived) continue;
      for (const AnswerRow& row : rows_of(metric, now)) {
        const double value = gauge.value(row);
        if (!std::isfinite(value)) continue;
        if (row.segment.empty()) {
          out.real(value, {{"metric", name}, {"label", row.label}});
        } else {
          out.real(value, {{"metric", name}, {"label", row.label}, {"segment", row.segment}});
        }
      }
    }
  }
  return std::move(out).take();
}

}  // namespace futurerand
