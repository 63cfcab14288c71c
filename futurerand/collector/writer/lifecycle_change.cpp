#include "futurerand/collector/writer/lifecycle_change.hpp"

#include "futurerand/estimator/coding/candidates.hpp"
#include "futurerand/wire/metric_json.hpp"

namespace futurerand {
namespace {

JudgedChange judge_end(MetricEnded& ended, const Metric& metric, Instant now) {
  ended.period = metric.current_period(now);
  return {Written::kDurable, !metric.is_closed(now)};
}

// Allowed only if an operator ended the metric, and only until its devices are erased.
JudgedChange judge_reopening(const Metric& metric, Instant now) {
  if (!metric.is_closed(now)) return {Written::kDurable, false};
  const bool can = metric.ended && !metric.fold.dropped_clients();
  return {can ? Written::kDurable : Written::kConflict, can};
}

JudgedChange judge_archive(const MetricArchived& archived, const Metric& metric, Instant now) {
  if (archived.archived && !metric.is_closed(now)) return {Written::kConflict, false};
  return {Written::kDurable, archived.archived != metric.archived};
}

JudgedChange judge_import(const MetricImported& imported, const State& state) {
  const Result<MetricDefinition> definition = parse_metric(imported.definition);
  const bool is_new = definition && state.find(definition->name) == state.size();
  return {is_new ? Written::kDurable : Written::kConflict, is_new};
}

// Keeps only the new texts. One bad text rejects all of them.
JudgedChange judge_candidates(CandidatesAdded& added, const Metric& metric) {
  const std::vector<std::string> fresh = new_candidates(metric.candidates, from_lines(added.lines));
  std::vector<std::string> all = metric.candidates;
  all.insert(all.end(), fresh.begin(), fresh.end());
  added.lines = to_lines(fresh);
  const Coding& coding = metric.definition->plan.coding;
  const bool right = coding.kind() == CodingKind::kText && group_candidates(coding, all);
  return {right ? Written::kDurable : Written::kConflict, right && !fresh.empty()};
}

// The same note again is already done.
JudgedChange judge_annotation(const MetricAnnotated& annotated, const Metric& metric, Instant now) {
  if (metric.is_closed(now)) return {Written::kConflict, false};
  const std::vector<Annotation> notes = annotations_from_lines(annotated.line);
  if (notes.size() != 1) return {Written::kConflict, false};
  const Result<std::vector<Annotation>> all = annotate(metric.annotations, notes.front());
  if (!all) return {Written::kConflict, false};
  return {Written::kDurable, *all != metric.annotations};
}

}  // namespace

JudgedChange judge(LifecycleChange& change, const State& state, Instant now, bool keeps_log) {
  if (const auto* imported = std::get_if<MetricImported>(&change)) {
    return judge_import(*imported, state);
  }
  const std::uint32_t number = metric_of(change, state);
  if (!state.has(number)) return {Written::kGone, false};
  const Metric& metric = state.metric(number);
  if (auto* ended = std::get_if<MetricEnded>(&change)) return judge_end(*ended, metric, now);
  if (std::holds_alternative<MetricReopened>(change)) return judge_reopening(metric, now);
  if (auto* added = std::get_if<CandidatesAdded>(&change)) return judge_candidates(*added, metric);
  if (const auto* annotated = std::get_if<MetricAnnotated>(&change)) {
    return judge_annotation(*annotated, metric, now);
  }
  if (const auto* archived = std::get_if<MetricArchived>(&change)) {
    return judge_archive(*archived, metric, now);
  }
  return {keeps_log ? Written::kConflict : Written::kDurable, !keeps_log};
}

std::uint32_t metric_of(const LifecycleChange& change, const State& state) {
  return std::visit(
      [&](const auto& it) -> std::uint32_t {
        if constexpr (requires { it.metric; }) {
          return it.metric;
        } else {
          return state.size();
        }
      },
      change);
}

std::string commit_of(const LifecycleChange& change) {
  std::string group;
  std::visit([&](const auto& it) { put_record(group, it); }, change);
  return group;
}

}  // namespace futurerand
