#include "futurerand/client/metric_terms.hpp"

#include "futurerand/client/ledger.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {

Result<MetricTerms> MetricTerms::accept(const MetricDefinition& metric) {
  Result<CertifiedPlan> plan = CertifiedPlan::create(metric.plan);
  if (!plan) return plan.error();
  MetricTerms terms{metric.name, *std::move(plan), metric.clock};
  if (const Status valid = terms.validate(); !valid) return valid.error();
  return terms;
}

Status MetricTerms::validate() const {
  if (name.empty() || name.size() > Ledger::kMaxNameBytes) {
    return Error{"the metric's name has " + std::to_string(name.size()) + " bytes; expected 1 to " +
                 std::to_string(Ledger::kMaxNameBytes)};
  }
  const std::int64_t start = clock.start.time_since_epoch().count();
  const std::int64_t length = clock.length.count();
  if (start < 0 || length < 0 || (length == 0 && start != 0)) {
    return Error{"the metric starts at " + std::to_string(start) + " with periods of " +
                 std::to_string(length) +
                 " seconds; expected a start and a length that are not negative, or 0 and 0"};
  }
  return {};
}

Digest MetricTerms::digest() const {
  const std::string text = "futurerand metric terms 1\n" + std::to_string(name.size()) + "\n" +
                           name + "\n" + to_json(plan.plan()) + "\n" +
                           std::to_string(clock.start.time_since_epoch().count()) + "\n" +
                           std::to_string(clock.length.count()) + "\n";
  return blake2b(bytes_of(text));
}

Period MetricTerms::period_at(std::int64_t seconds) const {
  return clock.period_at(std::chrono::sys_seconds(std::chrono::seconds(seconds)),
                         plan.plan().num_periods + 1);
}

}  // namespace futurerand
