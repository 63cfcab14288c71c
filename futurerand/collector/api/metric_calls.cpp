#include "futurerand/collector/api/metric_calls.hpp"

#include <cstring>

#include "futurerand/collector/api/seasons.hpp"
#include "futurerand/collector/api/write_refusal.hpp"
#include "futurerand/collector/fold/keyed_hash.hpp"
#include "futurerand/documents/metric_status.hpp"
#include "futurerand/documents/time_zone.hpp"
#include "futurerand/estimator/presence/presence.hpp"
#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/metric_request.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// The metrics that a list has, from the query of GET /v1/metrics.
struct MetricFilter {
  static constexpr std::uint32_t kMaxLimit = 1000;

  std::string name;   // a part of it
  std::string state;  // waiting, open, grace or closed; empty: any
  bool archived = false;
  bool in_sight = true;
  std::uint32_t limit = kMaxLimit;
  std::string after;  // names up to this one were on earlier pages

  static Result<MetricFilter> read(const Target& target);
  bool has(const MetricSnapshot& metric, Instant now) const;
};

Result<MetricFilter> MetricFilter::read(const Target& target) {
  MetricFilter filter;
  filter.name = target.find("name").value_or("");
  filter.after = target.find("after").value_or("");
  filter.state = target.find("state").value_or("");
  if (!filter.state.empty() && filter.state != "waiting" && filter.state != "open" &&
      filter.state != "grace" && filter.state != "closed") {
    return Error{"state is waiting, open, grace or closed"};
  }
  const std::string archived = target.find("archived").value_or("false");
  if (archived != "false" && archived != "true" && archived != "all") {
    return Error{"archived is false, true or all"};
  }
  filter.archived = archived != "false";
  filter.in_sight = archived != "true";
  if (const auto limit = target.find("limit")) {
    const std::optional<std::uint64_t> number = parse_decimal(*limit);
    if (!number || *number < 1 || *number > kMaxLimit) {
      return Error{"limit is a number from 1 to " + std::to_string(kMaxLimit)};
    }
    filter.limit = static_cast<std::uint32_t>(*number);
  }
  return filter;
}

bool MetricFilter::has(const MetricSnapshot& metric, Instant now) const {
  return (metric.archived ? archived : in_sight) &&
         metric.definition->name.find(name) != std::string::npos &&
         (state.empty() || state == metric.state(now));
}

void count_views(const MetricSnapshot& metric, MetricCounts& counts) {
  const Sums& sums = metric.sums;
  counts.views.resize(sums.num_views());
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    ViewCounts& of_view = counts.views[view];
    for (Period t = 1; t <= metric.definition->plan.num_periods; ++t) {
      of_view.devices += sums.enrolled_in(view, t);
    }
    for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
      of_view.reports += sums.at(view, index).count;
    }
  }
}

// Those of an endless metric are of the seasons that still count.
MetricCounts counts_of(const Snapshot& snapshot, const MetricSnapshot& metric, Instant now,
                       Instant started) {
  const MetricTotals totals = totals_of(snapshot, metric, now);
  MetricCounts counts{totals.devices, totals.lines, seconds_at(started), {}};
  count_views(metric, counts);
  if (!metric.definition->seasons) return counts;
  for (const auto& [number, season] : seasons_of(snapshot, metric)) count_views(*season, counts);
  counts.live_seasons = live_seasons(snapshot, metric, now);
  return counts;
}

// Nothing, or {"period":7}: the period that is to be over.
Result<std::optional<Period>> read_expected_period(std::string_view body) {
  if (body.empty()) return std::optional<Period>();
  const Result<nlohmann::json> parsed = parse_json_object(body, "the body");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, "advance", {"period"});
  const Period period = object.integer32("period", 1, UINT32_MAX);
  if (object.error()) return *object.error();
  return std::optional<Period>(period);
}

// Names one collection, for whoever merges exports. Nothing about privacy depends on it.
std::string random_source() {
  const HashKey random = HashKey::random();
  ClientId id;
  static_assert(sizeof(random) == sizeof(id.bytes));
  std::memcpy(id.bytes.data(), &random, sizeof(random));
  return to_hex(id);
}

// Sums are kept twice: those that change, and those that readers see. An endless metric has them
// for each live season, for each one in its grace period, and for one more that is closed.
Status check_memory(const MetricDefinition& metric, std::uint64_t most) {
  std::int64_t seasons = 1;
  if (const auto& calendar = metric.seasons) {
    seasons = calendar->num_live() + (metric.grace + calendar->every() - 1) / calendar->every() + 1;
  }
  const std::uint64_t presence = metric.inactive_after == 0 ? 0 : presence_bytes(metric.plan);
  const std::uint64_t bytes =
      2 * (sums_bytes(metric.plan) + presence) * static_cast<std::uint64_t>(seasons);
  if (bytes <= most) return {};
  const auto mib = [](std::uint64_t size) { return std::to_string((size + 0xfffff) >> 20); };
  return Error{"the sums of the metric would need " + mib(bytes) + " MiB; expected at most " +
               mib(most) +
               " (--max-metric-mib): fewer segments, labels, buckets or periods need less"};
}

// The metrics of a group agree on it, and no metric is in two groups. Devices check the same: this
// only tells the operator early.
Status check_group(const MetricDefinition& metric, const Snapshot& snapshot) {
  for (const auto& [name, number] : *snapshot.numbers) {
    const std::optional<MetricGroup>& other = snapshot.metrics[number]->definition->group;
    if (name == metric.name || season_named(name) || other == metric.group) continue;
    if (metric.group && other && metric.group->name() == other->name()) {
      return Error{"the group '" + other->name() + "' has other metrics or shares in the metric '" +
                   name + "'; expected the same group in each of its metrics"};
    }
    if (other && other->has(metric.name)) {
      return Error{"the metric '" + name + "' names '" + metric.name + "' in its group '" +
                   other->name() + "'; expected the same group in both"};
    }
    if (metric.group && metric.group->has(name)) {
      return Error{"the metric '" + name + "' of the group '" + metric.group->name() +
                   "' exists, and is not in this group; expected a new name"};
    }
  }
  return {};
}

}  // namespace

ApiResponse no_such_metric(const std::string& name) {
  if (const auto season = season_named(name)) {
    return error_response(404, "unknown_season",
                          "no device has taken part in season " + std::to_string(season->season) +
                              " of a metric '" + season->metric + "'");
  }
  return error_response(404, "unknown_metric", "there is no metric '" + name + "'");
}

MetricCalls::MetricCalls(std::function<Instant()> now, Say say, Intake& writer,
                         std::uint64_t max_bytes)
    : now_(std::move(now)),
      say_(std::move(say)),
      started_(now_()),
      writer_(writer),
      max_bytes_(max_bytes) {}

const PlanCertificate* MetricCalls::certificate_of(const MetricSnapshot& metric) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = certificates_.try_emplace(metric.number);
  if (is_new) {
    if (Result<PlanCertificate> certificate = certify(metric.definition->plan)) {
      at->second = *std::move(certificate);
    }
  }
  return at->second ? &*at->second : nullptr;
}

std::string MetricCalls::document_of(const MetricSnapshot& metric) {
  const Instant now = now_();
  return metric_document(metric, now, counts_of(*writer_.snapshot(), metric, now, started_),
                         certificate_of(metric));
}

ApiResponse MetricCalls::list(const Call& call) {
  const Result<MetricFilter> filter = MetricFilter::read(call.target);
  if (!filter) return error_response(400, "bad_query", filter.error().message);
  const std::shared_ptr<const Snapshot> snapshot = writer_.snapshot();
  const Instant now = now_();
  JsonWriter json(4096);
  json.begin_object().key("metrics").begin_array();
  std::string last;
  std::uint32_t shown = 0;
  // Names that come after the last one of the page before.
  for (auto at = snapshot->numbers->upper_bound(filter->after); at != snapshot->numbers->end();
       ++at) {
    const MetricSnapshot& metric = *snapshot->metrics[at->second];
    if (season_named(at->first) || !filter->has(metric, now)) continue;
    if (shown++ == filter->limit) {
      json.end_array().member("next", last);
      return json_response(std::move(json.end_object()).take());
    }
    json.json(document_of(metric));
    last = at->first;
  }
  return json_response(std::move(json.end_array().end_object()).take());
}

ApiResponse MetricCalls::show(const MetricSnapshot& metric) {
  return json_response(document_of(metric));
}

void MetricCalls::create(const Call& call, const Respond& respond) {
  const std::string& name = call.argument;
  const std::shared_ptr<const MetricSnapshot> existing = writer_.snapshot()->find(name);
  Result<MetricDefinition> metric =
      define_metric(name, call.request.body, now_(),
                    existing == nullptr ? nullptr : existing->definition.get(), midnight_in);
  if (!metric) return respond(error_response(400, "bad_metric", metric.error().message));
  if (const Result<TimeZone> zone = TimeZone::load(metric->time_zone); !zone) {
    return respond(error_response(400, "bad_metric", "metric: " + zone.error().message));
  }
  // An existing metric may be requested again at any time. A new one must be able to accept
  // reports.
  if (const Status in_time = check_start(*metric, now_()); existing == nullptr && !in_time) {
    return respond(error_response(400, "bad_metric", in_time.error().message));
  }
  const Result<PlanCertificate> certificate = certify(metric->plan);
  if (!certificate || !certificate->certified()) {
    return respond(error_response(400, "not_private", "the plan does not certify its epsilon"));
  }
  if (const Status fits = check_memory(*metric, max_bytes_); existing == nullptr && !fits) {
    return respond(error_response(400, "bad_metric", fits.error().message));
  }
  if (const Status agreed = check_group(*metric, *writer_.snapshot());
      existing == nullptr && !agreed) {
    return respond(error_response(409, "group", agreed.error().message));
  }
  metric->sources = {random_source()};
  const bool names_start = existing != nullptr || requests_start(call.request.body);
  writer_.create(
      *metric, [this, name, metric = *metric, names_start, respond](const WriteAnswer& answer) {
        if (auto refused = write_refusal(answer.written)) return respond(*std::move(refused));
        // The writer has published it before it answers. The document is made where it is sent.
        const std::shared_ptr<const MetricSnapshot> created = writer_.snapshot()->find(name);
        if (created == nullptr) return respond(no_such_metric(name));
        if (answer.written == Written::kConflict) {
          // The same request may have come a moment earlier, and started the clock earlier.
          MetricDefinition asked = metric;
          if (!names_start) asked.clock.start = created->definition->clock.start;
          if (to_request(asked) != to_request(*created->definition)) {
            return respond(error_response(409, "exists",
                                          "metric '" + name + "' exists with another definition"));
          }
        }
        ApiResponse shown;
        shown.status = answer.created ? 201 : 200;
        shown.make_body = [this, created] { return document_of(*created) + '\n'; };
        if (answer.created) {
          const Plan& plan = created->definition->plan;
          say_(Event::kMetricCreated,
               "created metric '" + name + "': " + std::string(name_of(plan.protocol)) + ", " +
                   std::to_string(plan.num_periods) + " periods, epsilon " + plan.epsilon.text() +
                   (created->definition->seasons ? " a season, without an end" : ""));
        }
        respond(std::move(shown));
      });
}

void MetricCalls::advance(const Call& call, const Respond& respond) {
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(call.argument);
  if (metric == nullptr) return respond(no_such_metric(call.argument));
  const Result<std::optional<Period>> expected = read_expected_period(call.request.body);
  if (!expected) return respond(error_response(400, "bad_advance", expected.error().message));
  writer_.advance({metric->number, *expected}, [respond](const WriteAnswer& answer) {
    if (auto refused = write_refusal(answer.written)) return respond(*std::move(refused));
    if (answer.written == Written::kUnexpected) {
      return respond(error_response(409, "unexpected_period",
                                    "period " + std::to_string(answer.period) + " is running"));
    }
    if (answer.written == Written::kConflict) {
      return respond(error_response(409, "cannot_advance",
                                    "the clock is not manual, or the metric is closed"));
    }
    const std::string period = std::to_string(answer.period);
    respond(json_response("{\"period\":" + period + ",\"current_period\":" + period + "}"));
  });
}

}  // namespace futurerand
