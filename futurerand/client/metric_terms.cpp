#include "futurerand/client/metric_terms.hpp"

#include "futurerand/client/ledger.hpp"
#include "futurerand/client/plan_digest.hpp"
#include "futurerand/wire/utc_time.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

// A season of kMaxPeriods such periods still ends within the seconds of a clock.
constexpr std::int64_t kMaxSeasonSeconds = 100LL * 366 * 86'400;

}  // namespace

Result<MetricTerms> MetricTerms::accept(const MetricDefinition& metric) {
  Result<CertifiedPlan> plan = CertifiedPlan::create(metric.plan);
  if (!plan) return plan.error();
  MetricTerms terms{metric.name, *std::move(plan), metric.clock, metric.seasons,
                    0,           metric.grace,     metric.group};
  if (const Status valid = terms.validate(); !valid) return valid.error();
  return terms;
}

Result<MetricTerms> MetricTerms::accept(const MetricDefinition& metric, std::string_view digest) {
  Result<MetricTerms> terms = accept(metric);
  if (!terms) return terms;
  if (const Status pinned = terms->check_digest(digest); !pinned) return pinned.error();
  return terms;
}

Status MetricTerms::check_digest(std::string_view digest) const {
  const std::string found = plan_digest(plan.plan());
  if (found == digest) return {};
  return Error{"the plan of the metric '" + name + "' has the digest " + found +
                   "; this application accepts " + std::string(digest.substr(0, 80)) + " only",
               ErrorCode::kRefused};
}

Result<MetricTerms> MetricTerms::accept(const MetricDefinition& metric, const Digest& expected) {
  Result<MetricTerms> terms = accept(metric);
  if (!terms || terms->digest() == expected) return terms;
  return Error{
      "the metric '" + metric.name +
          "' does not have the terms that came with the application; expected their digest",
      ErrorCode::kRefused};
}

MetricTerms MetricTerms::season_terms(std::uint64_t of) const {
  MetricTerms terms = *this;
  terms.season = of;
  terms.clock.start += (seasons->first(static_cast<std::int64_t>(of)) - 1) * clock.length;
  return terms;
}

Status MetricTerms::validate() const {
  if (name.empty() || name.size() > Ledger::kMaxNameBytes) {
    return Error{"the metric's name has " + std::to_string(name.size()) + " bytes; expected 1 to " +
                 std::to_string(Ledger::kMaxNameBytes)};
  }
  if (clock.start < 0 || clock.length < 0 || (clock.is_manual() && clock.start != 0)) {
    return Error{"the metric starts at " + std::to_string(clock.start) + " with periods of " +
                 std::to_string(clock.length) +
                 " seconds; expected a start and a length that are not negative, or 0 and 0"};
  }
  if (group && !group->has(name)) {
    return Error{"the group '" + group->name() + "' does not have the metric '" + name +
                 "'; expected it among the shares"};
  }
  if (!seasons) return {};
  if (clock.is_manual() || clock.length > kMaxSeasonSeconds) {
    return Error{"the metric has seasons and periods of " + std::to_string(clock.length) +
                 " seconds; expected 1 to " + std::to_string(kMaxSeasonSeconds)};
  }
  if (seasons->season() != plan.plan().num_periods) {
    return Error{"a season has " + std::to_string(seasons->season()) + " periods and its plan " +
                 std::to_string(plan.plan().num_periods) + "; expected the same"};
  }
  if (season == 0 && clock.start < (1 - seasons->first(1)) * clock.length) {
    return Error{"the metric starts at " + std::to_string(clock.start) +
                 "; expected its first season to begin after 1970"};
  }
  return {};
}

Digest MetricTerms::digest() const {
  std::string text = "futurerand metric terms 1\n" + std::to_string(name.size()) + "\n" + name +
                     "\n" + to_json(plan.plan()) + "\n" + std::to_string(clock.start) + "\n" +
                     std::to_string(clock.length) + "\n";
  if (seasons) {
    text += std::to_string(seasons->every()) + "\n" + std::to_string(seasons->rest()) + "\n";
    text += std::to_string(season) + "\n";
  }
  if (group) {
    text += "group\n" + std::to_string(group->name().size()) + "\n" + group->name() + "\n";
    for (const MetricGroup::Member& member : group->members()) {
      text += std::to_string(member.share) + " " + std::to_string(member.metric.size()) + "\n" +
              member.metric + "\n";
    }
  }
  return blake2b(bytes_of(text));
}

Period MetricTerms::period_at(std::int64_t seconds) const {
  return clock.period_at(seconds, is_endless() ? kNeverPeriod : plan.plan().num_periods + 1);
}

Status MetricTerms::check_segment(std::string_view segment) const {
  const Result<std::uint32_t> stratum = plan.plan().segments.stratum(segment);
  if (stratum) return {};
  return Error{"the metric '" + name + "': " + stratum.error().message};
}

Status MetricTerms::check_joining(Period period) const {
  const Period horizon = plan.plan().num_periods;
  if (period < 1) {
    return Error{
        "the metric '" + name + "' " +
            (clock.is_manual() ? "has not started; its operator starts it; try again later"
                               : "starts on " + readable_time(clock.start) + "; try again then"),
        ErrorCode::kNotStarted};
  }
  if (period <= horizon) return {};
  return Error{"the metric '" + name + "' is over: it had " + std::to_string(horizon) +
                   " periods, and this is period " + std::to_string(period),
               ErrorCode::kRefused};
}

}  // namespace futurerand
