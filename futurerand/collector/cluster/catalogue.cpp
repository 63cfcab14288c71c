#include "futurerand/collector/cluster/catalogue.hpp"

#include "futurerand/estimator/coding/candidates.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

// Number of attempts to create a metric while others are created at the same moment.
constexpr int kCreationAttempts = 20;
constexpr std::string_view kUniqueViolation = "23505";

}  // namespace

Status Catalogue::refresh() {
  const std::lock_guard one_at_a_time(refreshing_);
  const std::shared_ptr<const CatalogueMetrics> before = metrics();
  const SqlReply reply = database_.run(
      "SELECT number::text, period::text, ended::text, archived::text, erased::text, "
      "deleted::text, "
      "CASE WHEN number >= $1::int THEN definition END, CASE WHEN number >= $1::int "
      "THEN imported END, (imported IS NOT NULL)::text, candidates, annotations FROM metric ORDER "
      "BY "
      "metric.number",
      {before->size()});
  if (!reply.done()) return Error{reply.message, ErrorCode::kUnreachable};
  auto after = std::make_shared<CatalogueMetrics>(*before);
  for (const std::vector<std::string>& row : reply.rows) {
    const std::size_t number = std::stoul(row[0]);
    if (number > after->size()) {
      return Error{
          database_.name() + ": metric number " + std::to_string(after->size()) + " is missing",
          ErrorCode::kDamaged};
    }
    if (number == after->size()) {
      Result<MetricDefinition> definition = parse_metric(row[6]);
      if (!definition) {
        return Error{
            database_.name() + ", metric number " + row[0] + ": " + definition.error().message,
            ErrorCode::kDamaged};
      }
      after->push_back({{std::make_shared<const MetricDefinition>(*std::move(definition))}});
      if (row[8] == "true") after->back().imported = std::make_shared<const std::string>(row[7]);
    }
    CatalogueMetric& metric = (*after)[number];
    metric.manual_period = static_cast<Period>(std::stoul(row[1]));
    metric.ended.reset();
    if (!row[2].empty()) metric.ended = static_cast<Period>(std::stoul(row[2]));
    metric.archived = row[3] == "true";
    metric.erased = row[4] == "true";
    metric.deleted = row[5] == "true";
    metric.candidates = from_lines(row[9]);
    metric.annotations = annotations_from_lines(row[10]);
  }
  if (*after == *before) return {};
  const std::lock_guard lock(mutex_);
  metrics_ = std::move(after);
  return {};
}

SqlReply Catalogue::insert(const std::string& name, const std::string& definition,
                           const MetricImported* imported) {
  const std::string values = imported == nullptr ? "NULL, NULL, ''" : "$3::bigint, $4::bytea, $5";
  std::vector<SqlValue> parameters = {name, definition};
  if (imported != nullptr) {
    parameters.push_back(imported->period);
    parameters.push_back(SqlValue::bytes(imported->sums));
    parameters.push_back(imported->annotations);
  }
  SqlReply reply;
  for (int attempt = 0; attempt < kCreationAttempts; ++attempt) {
    reply = database_.run(
        "INSERT INTO metric(name, number, definition, ended, imported, annotations) SELECT $1, "
        "coalesce(max(number) + 1, 0), $2, " +
            values + " FROM metric ON CONFLICT (name) WHERE NOT deleted DO NOTHING",
        parameters);
    if (reply.state != kUniqueViolation) break;  // another metric took the number
  }
  return reply;
}

WriteAnswer Catalogue::create(const MetricDefinition& definition) {
  WriteAnswer answer{.written = Written::kMoved};
  const SqlReply reply = insert(definition.name, to_json(definition), nullptr);
  if (!reply.done() || !refresh()) return answer;
  for (const CatalogueMetric& metric : *metrics()) {
    if (metric.deleted || metric.definition->name != definition.name) continue;
    const bool same = to_request(*metric.definition) == to_request(definition);
    answer.written = same ? Written::kDurable : Written::kConflict;
  }
  answer.created = reply.affected > 0;
  return answer;
}

WriteAnswer Catalogue::advance(const AdvanceRequest& advance, Instant now) {
  WriteAnswer answer{.written = Written::kMoved};
  if (!refresh()) return answer;
  const CatalogueMetric metric = metrics()->at(advance.metric);
  if (metric.deleted) {
    answer.written = Written::kGone;
    return answer;
  }
  answer.period = metric.current_period(now);
  if (!metric.definition->clock.is_manual() || metric.is_closed(now)) {
    answer.written = Written::kConflict;
    return answer;
  }
  if (advance.expected && *advance.expected != metric.manual_period) {
    answer.written = Written::kUnexpected;
    return answer;
  }
  const SqlReply reply = database_.run(
      "UPDATE metric SET period = period + 1 WHERE number = $1::int AND period = $2::bigint",
      {advance.metric, metric.manual_period});
  if (!reply.done() || !refresh()) return answer;
  const bool moved = reply.affected > 0;
  answer.period = metrics()->at(advance.metric).manual_period;
  // Somebody else moved it at the same moment.
  answer.written = moved ? Written::kDurable : Written::kUnexpected;
  return answer;
}

WriteAnswer Catalogue::import(const MetricImported& imported) {
  WriteAnswer answer{.written = Written::kMoved};
  const Result<MetricDefinition> definition = parse_metric(imported.definition);
  if (!definition) return {.written = Written::kConflict};
  const SqlReply reply = insert(definition->name, imported.definition, &imported);
  if (!reply.done() || !refresh()) return answer;
  answer.written = reply.affected > 0 ? Written::kDurable : Written::kConflict;
  return answer;
}

WriteAnswer Catalogue::change(const LifecycleChange& change, Instant now) {
  if (const auto* imported = std::get_if<MetricImported>(&change)) return import(*imported);
  WriteAnswer answer{.written = Written::kMoved};
  if (!refresh()) return answer;
  const std::uint32_t number = std::visit(
      [](const auto& it) -> std::uint32_t {
        if constexpr (requires { it.metric; }) return it.metric;
        return UINT32_MAX;
      },
      change);
  const std::shared_ptr<const CatalogueMetrics> all = metrics();
  if (number >= all->size() || (*all)[number].deleted) return {.written = Written::kGone};
  const CatalogueMetric& metric = (*all)[number];
  SqlReply reply;
  if (std::holds_alternative<MetricEnded>(change)) {
    if (metric.is_closed(now)) return {};
    reply = database_.run(
        "UPDATE metric SET ended = $2::bigint WHERE number = $1::int AND ended IS NULL",
        {number, metric.current_period(now)});
  } else if (std::holds_alternative<MetricReopened>(change)) {
    if (!metric.is_closed(now)) return {};
    reply = database_.run(
        "UPDATE metric SET ended = NULL WHERE number = $1::int AND ended IS NOT NULL AND NOT "
        "erased AND imported IS NULL",
        {number});
    if (reply.done() && reply.affected == 0) return {.written = Written::kConflict};
  } else if (const auto* added = std::get_if<CandidatesAdded>(&change)) {
    const std::vector<std::string> fresh =
        new_candidates(metric.candidates, from_lines(added->lines));
    std::vector<std::string> texts = metric.candidates;
    texts.insert(texts.end(), fresh.begin(), fresh.end());
    const Coding& coding = metric.definition->plan.coding;
    if (coding.kind() != CodingKind::kText || !group_candidates(coding, texts)) {
      return {.written = Written::kConflict};
    }
    reply = database_.run(
        "UPDATE metric SET candidates = $2 WHERE number = $1::int AND candidates = $3",
        {number, to_lines(texts), to_lines(metric.candidates)});
    if (reply.done() && reply.affected == 0) return {.written = Written::kBusy};
  } else if (const auto* annotated = std::get_if<MetricAnnotated>(&change)) {
    const std::vector<Annotation> notes = annotations_from_lines(annotated->line);
    if (metric.is_closed(now) || notes.size() != 1) return {.written = Written::kConflict};
    const Result<std::vector<Annotation>> texts = annotate(metric.annotations, notes.front());
    if (!texts) return {.written = Written::kConflict};
    reply = database_.run(
        "UPDATE metric SET annotations = $2 WHERE number = $1::int AND annotations = $3",
        {number, to_lines(*texts), to_lines(metric.annotations)});
    if (reply.done() && reply.affected == 0) return {.written = Written::kBusy};
  } else if (const auto* archived = std::get_if<MetricArchived>(&change)) {
    if (archived->archived && !metric.is_closed(now)) return {.written = Written::kConflict};
    reply = database_.run("UPDATE metric SET archived = $2::bool WHERE number = $1::int",
                          {number, archived->archived ? "true" : "false"});
  } else {
    // Its definition stays: a shard that never saw the metric must give its number to something.
    reply = database_.run(
        "UPDATE metric SET deleted = true, imported = NULL WHERE number = $1::int", {number});
  }
  if (!reply.done()) return answer;
  if (metric.definition->seasons && !change_seasons(change, *all, metric, now)) return answer;
  if (!refresh()) return answer;
  return {};
}

bool Catalogue::change_seasons(const LifecycleChange& change, const CatalogueMetrics& all,
                               const CatalogueMetric& endless, Instant now) {
  for (std::uint32_t number = 0; number < all.size(); ++number) {
    const CatalogueMetric& season = all[number];
    const auto name = season_named(season.definition->name);
    if (season.deleted || !name || name->metric != endless.definition->name) continue;
    SqlReply reply;
    if (std::holds_alternative<MetricEnded>(change)) {
      if (season.is_closed(now)) continue;
      reply = database_.run(
          "UPDATE metric SET ended = $2::bigint WHERE number = $1::int AND ended IS NULL",
          {number, season.current_period(now)});
    } else if (std::holds_alternative<MetricReopened>(change)) {
      if (!season.ended_early()) continue;
      reply = database_.run("UPDATE metric SET ended = NULL WHERE number = $1::int AND NOT erased",
                            {number});
    } else if (std::holds_alternative<MetricDeleted>(change)) {
      reply = database_.run("UPDATE metric SET deleted = true WHERE number = $1::int", {number});
    } else {
      return true;
    }
    if (!reply.done()) return false;
  }
  return true;
}

void Catalogue::erase_ended(std::chrono::seconds after) {
  const auto now = std::chrono::steady_clock::now();
  const std::shared_ptr<const CatalogueMetrics> all = metrics();
  for (std::uint32_t number = 0; number < all->size(); ++number) {
    const CatalogueMetric& metric = (*all)[number];
    if (!metric.ended || metric.erased || metric.deleted || metric.imported != nullptr) {
      ended_since_.erase(number);
    } else if (now - ended_since_.try_emplace(number, now).first->second >= after) {
      (void)database_.run(
          "UPDATE metric SET erased = true WHERE number = $1::int AND ended = $2::bigint",
          {number, *metric.ended});
    }
  }
}

}  // namespace futurerand
