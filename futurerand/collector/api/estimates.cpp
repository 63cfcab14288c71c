#include "futurerand/collector/api/estimates.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "futurerand/core/plan/inactive.hpp"
#include "futurerand/estimator/active.hpp"
#include "futurerand/estimator/devices_by_period.hpp"
#include "futurerand/estimator/enrolled.hpp"
#include "futurerand/estimator/estimand.hpp"
#include "futurerand/estimator/influence.hpp"
#include "futurerand/estimator/self_check.hpp"
#include "futurerand/estimator/stated_cap.hpp"

namespace futurerand {
namespace {

struct Query {
  Period from = 1;
  Period to = 0;
  EstimatorKind estimator = EstimatorKind::kOnline;
  double level = 0.95;
  bool simultaneous = false;
  Estimand estimand = Estimand::kEnrolled;
};

template <typename Value>
bool read_number(const std::optional<std::string>& text, Value low, Value high, Value& value) {
  if (!text) return true;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() && end == text->data() + text->size() && value >= low &&
         value <= high;
}

Estimand default_estimand(const MetricSnapshot& metric) {
  return metric.presence == nullptr ? Estimand::kEnrolled : Estimand::kActive;
}

std::optional<ApiResponse> read_query(const MetricSnapshot& metric, const Target& target,
                                      Query& query) {
  const Period last = metric.definition->plan.num_periods;
  const auto bad = [](const std::string& what) { return error_response(400, "bad_query", what); };
  query.to = last;
  query.estimand = default_estimand(metric);
  if (!read_number(target.find("from"), Period{1}, last, query.from) ||
      !read_number(target.find("to"), Period{1}, last, query.to)) {
    return bad("from and to are periods from 1 to " + std::to_string(last));
  }
  if (!read_number(target.find("level"), 0.0, 1.0, query.level) || query.level <= 0 ||
      query.level >= 1) {
    return bad("level is a probability between 0 and 1, such as 0.95");
  }
  if (const auto name = target.find("estimator")) {
    const auto kind = estimator_named(*name);
    if (!kind) return bad("estimator is online, hindsight or trend");
    query.estimator = *kind;
  }
  if (const auto name = target.find("estimand")) {
    const auto estimand = estimand_named(*name);
    if (!estimand) return bad("estimand is active or enrolled");
    if (*estimand == Estimand::kActive && metric.presence == nullptr) {
      const Status shown = shows_who_is_active(metric.definition->plan);
      return bad("estimand is active, but " +
                 (shown ? "this metric was created without inactive_after; expected enrolled"
                        : shown.error().message));
    }
    query.estimand = *estimand;
  }
  if (const auto band = target.find("band")) {
    if (*band != "pointwise" && *band != "simultaneous") {
      return bad("band is pointwise or simultaneous");
    }
    query.simultaneous = *band == "simultaneous";
  }
  return std::nullopt;
}

struct Completeness {
  std::uint64_t reports = 0;
  std::uint64_t expected = 0;
};

// Per period, the reports that were due at its end. Element t-1 is period t.
std::vector<Completeness> completeness(const MetricSnapshot& metric, Period up_to) {
  std::vector<Completeness> periods(up_to);
  const Plan& plan = metric.definition->plan;
  for (std::uint32_t view = 0; view < plan.views.size(); ++view) {
    const Schedule schedule(plan.views[view], plan.num_periods);
    const std::vector<std::uint64_t> expected = metric.sums.expected_reports(view);
    for (std::uint32_t index = 1; index <= expected.size(); ++index) {
      const Period due = schedule.due(index);
      if (due > up_to) break;
      periods[due - 1].reports += metric.sums.at(view, index).count;
      periods[due - 1].expected += expected[index - 1];
    }
  }
  return periods;
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::string note_on(const MetricSnapshot& metric, Period current,
                    const std::vector<EstimateRow>& rows) {
  if (metric.devices == 0) return "No device has joined yet, so nothing is known.";
  if (last_complete(*metric.definition, current) == 0) {
    return "The first period is not over yet, so nothing is known.";
  }
  const auto unknown = std::count_if(rows.begin(), rows.end(), [](const EstimateRow& row) {
    return !std::isfinite(row.estimate);
  });
  if (unknown == 0) return "";
  return std::to_string(unknown) + " of " + std::to_string(rows.size()) +
         " periods are unknown: too few devices had joined, or their reports are missing.";
}

bool prefers_csv(const std::string& accept) {
  return accept.find("text/csv") != std::string::npos &&
         accept.find("application/json") == std::string::npos;
}

// Element t-1 of both is period t.
struct Figures {
  std::vector<PeriodEstimate> estimates;
  std::vector<Completeness> complete;
};

Figures active_figures(const MetricSnapshot& metric, Period current, EstimatorKind kind) {
  const MetricDefinition& definition = *metric.definition;
  Figures figures;
  for (const ActiveEstimate& active : estimate_active(
           definition.plan, metric.sums, *metric.presence, {current, definition.inactive_after},
           kind, last_complete(definition, current))) {
    figures.estimates.push_back(active.at);
    figures.complete.push_back({active.reports, active.devices});
  }
  return figures;
}

Alarm active_alarm(const MetricSnapshot& metric, const Figures& online) {
  std::vector<double> devices;
  for (const Completeness& at : online.complete) {
    devices.push_back(static_cast<double>(at.expected));
  }
  return check_estimates(metric.definition->plan, metric.sums, *metric.presence, online.estimates,
                         devices);
}

// Who is there, if that is known up to this period.
const Presence* presence_by(const MetricSnapshot& metric, Period current) {
  return metric.presence != nullptr && metric.presence_period >= current ? &*metric.presence
                                                                         : nullptr;
}

// What the reports of changes do in `hybrid` takes an estimate for each claim: tens of milliseconds
// up to here, and seconds for the longest. Nothing else takes much longer than an estimate.
constexpr Period kLongestHybrid = 1 << 14;

// How far one device can move the newest period, from the reports that there are.
double one_device_moves(const MetricSnapshot& metric, Period current, Estimand estimand,
                        const Figures& online) {
  const Plan& plan = metric.definition->plan;
  const Period up_to = last_complete(*metric.definition, current);
  if (plan.protocol == Protocol::kHybrid && plan.num_periods > kLongestHybrid) return kUnknown;
  if (online.estimates.empty() || !std::isfinite(online.estimates.back().estimate)) return kUnknown;
  const bool is_active = estimand == Estimand::kActive;
  if (is_active && plan.heartbeats) {
    const Sums there = without_rows(metric.sums, *metric.presence, up_to);
    return influence_on(plan, there, up_to).most.back();
  }
  if (plan.protocol != Protocol::kInnovation || (!is_active && !presence_by(metric, current))) {
    return influence_on(plan, metric.sums, up_to).most.back();
  }
  const Completeness newest = online.complete.back();
  if (newest.reports == 0) return kUnknown;
  const double stands_for =
      std::max(1.0, static_cast<double>(newest.expected) / static_cast<double>(newest.reports));
  // An active device is counted by its own reports, but for the newest, which stands for those that
  // are still missing; of all that enrolled, the whole of it stands for those who left.
  const TranscriptLimits* limits = metric.presence->limits();
  return is_active ? influence_on_active(plan, up_to, stands_for, limits).back()
                   : stands_for * influence_on_active(plan, up_to, 1, limits).back();
}

Figures enrolled_figures(const MetricSnapshot& metric, Period current, EstimatorKind kind) {
  const Period up_to = last_complete(*metric.definition, current);
  const Plan& plan = metric.definition->plan;
  std::vector<PeriodEstimate> estimates =
      estimate_enrolled(plan, metric.sums, presence_by(metric, current), kind, up_to);
  // Of nobody the sums say 0, without any doubt: that would look like a result.
  const std::vector<std::uint64_t> devices = devices_by_period(plan, metric.sums, up_to);
  for (PeriodEstimate& at : estimates) {
    if (devices[at.period - 1] == 0) at.estimate = at.stddev = kUnknown;
  }
  return {std::move(estimates), completeness(metric, up_to)};
}

Figures figures_of(const MetricSnapshot& metric, Period current, Estimand estimand,
                   EstimatorKind kind) {
  return estimand == Estimand::kActive ? active_figures(metric, current, kind)
                                       : enrolled_figures(metric, current, kind);
}

std::vector<EstimateRow> rows_of(const MetricSnapshot& metric, const Figures& figures,
                                 const Query& query) {
  const std::vector<PeriodEstimate>& estimates = figures.estimates;
  const std::vector<Band> bands =
      query.simultaneous
          ? simultaneous_bands(estimates, query.level, metric.definition->plan.num_periods)
          : pointwise_bands(estimates, query.level);
  std::vector<EstimateRow> rows;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const PeriodEstimate& at = estimates[i];
    if (at.period < query.from || at.period > query.to) continue;
    rows.push_back({at.period, at.estimate, at.stddev, bands[i].lower, bands[i].upper,
                    figures.complete[i].reports, figures.complete[i].expected});
  }
  return rows;
}

}  // namespace

ApiResponse estimates_response(const MetricSnapshot& metric, Period current, const Call& call,
                               const std::string& as_of) {
  Query query;
  if (auto bad = read_query(metric, call.target, query)) return *std::move(bad);
  if (query.estimand == Estimand::kActive) current = std::min(current, metric.presence_period);
  Figures figures = figures_of(metric, current, query.estimand, query.estimator);
  std::vector<EstimateRow> rows = rows_of(metric, figures, query);
  if (prefers_csv(call.request.accept)) return {200, "text/csv; charset=utf-8", to_csv(rows)};
  std::string note = note_on(metric, current, rows);
  const Plan& plan = metric.definition->plan;
  const Period up_to = last_complete(*metric.definition, current);
  // The alarm and what one device moves are those of the online estimates, whatever is shown.
  const Figures online = query.estimator == EstimatorKind::kOnline
                             ? std::move(figures)
                             : figures_of(metric, current, query.estimand, EstimatorKind::kOnline);
  const Alarm alarm = query.estimand == Estimand::kActive
                          ? active_alarm(metric, online)
                          : enrolled_alarm(plan, metric.sums, presence_by(metric, current), up_to);
  const std::optional<double> bias =
      up_to == 0 ? std::nullopt
                 : cap_bias(presence_by(metric, current), query.estimand, query.estimator, up_to,
                            static_cast<double>(online.complete.back().expected));
  std::optional<EstimatesDocument::TranscriptCap> cap;
  if (bias) cap = {kCapRate, *bias};
  const GoneWords gone{metric.definition->inactive_after, plan.heartbeats, plan.num_periods};
  return json_response(to_json(EstimatesDocument{
      metric.definition->name, current, std::string(name_of(query.estimator)), query.level,
      query.simultaneous ? "simultaneous" : "pointwise",
      assumption_of(query.estimand, query.estimator, gone), std::move(rows),
      std::string(name_of(query.estimand)), counted_in_words(query.estimand, query.estimator, gone),
      std::move(note), std::string(alarm.text),
      one_device_moves(metric, current, query.estimand, online), cap, as_of}));
}

std::optional<EstimateRow> newest_estimate(const MetricSnapshot& metric, Period current) {
  Query query;
  query.estimand = default_estimand(metric);
  if (query.estimand == Estimand::kActive) current = std::min(current, metric.presence_period);
  query.from = query.to = last_complete(*metric.definition, current);
  if (query.to == 0) return std::nullopt;
  const Figures figures = figures_of(metric, current, query.estimand, query.estimator);
  return rows_of(metric, figures, query).back();
}

}  // namespace futurerand
