#include "futurerand/collector/cluster/catalogue.hpp"

#include "futurerand/wire/stored_metric.hpp"

namespace futurerand {
namespace {

// So often a creation that met others at the same moment is tried again.
constexpr int kCreationAttempts = 20;
constexpr std::string_view kUniqueViolation = "23505";

}  // namespace

Status Catalogue::refresh() {
  const std::lock_guard one_at_a_time(refreshing_);
  const std::shared_ptr<const CatalogueMetrics> before = metrics();
  const SqlReply reply = database_.run(
      "SELECT number::text, period::text, CASE WHEN number >= $1::int THEN definition END "
      "FROM metric ORDER BY metric.number",
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
      Result<MetricDefinition> definition = parse_stored_metric(row[2]);
      if (!definition) {
        return Error{
            database_.name() + ", metric number " + row[0] + ": " + definition.error().message,
            ErrorCode::kDamaged};
      }
      after->push_back({std::make_shared<const MetricDefinition>(*std::move(definition))});
    }
    (*after)[number].manual_period = static_cast<Period>(std::stoul(row[1]));
  }
  const std::lock_guard lock(mutex_);
  metrics_ = std::move(after);
  return {};
}

WriteAnswer Catalogue::create(const MetricDefinition& definition) {
  WriteAnswer answer{.written = Written::kMoved};
  SqlReply reply;
  for (int attempt = 0; attempt < kCreationAttempts; ++attempt) {
    reply = database_.run(
        "INSERT INTO metric(name, number, definition) SELECT $1, "
        "coalesce(max(number) + 1, 0), $2 FROM metric ON CONFLICT (name) DO NOTHING",
        {definition.name, to_stored_text(definition)});
    if (reply.state != kUniqueViolation) break;  // another metric took the number
  }
  if (!reply.done() || !refresh()) return answer;
  for (const CatalogueMetric& metric : *metrics()) {
    if (metric.definition->name != definition.name) continue;
    const bool same = metric.definition->request == definition.request;
    answer.written = same ? Written::kDurable : Written::kConflict;
  }
  answer.created = reply.affected > 0;
  return answer;
}

WriteAnswer Catalogue::advance(const AdvanceRequest& advance, Instant now) {
  WriteAnswer answer{.written = Written::kMoved};
  if (!refresh()) return answer;
  const CatalogueMetric metric = metrics()->at(advance.metric);
  answer.period = metric.definition->period_at(now, metric.manual_period);
  if (!metric.definition->manual_clock || answer.period >= metric.definition->closed_period()) {
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

}  // namespace futurerand
