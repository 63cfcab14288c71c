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
  if (clock.start < 0 || clock.length < 0 || (clock.is_manual() && clock.start != 0)) {
    return Error{"the metric starts at " + std::to_string(clock.start) + " with periods of " +
                 std::to_string(clock.length) +
                 " seconds; expected a start and a length that are not negative, or 0 and 0"};
  }
  return {};
}

Digest MetricTerms::digest() const {
  const std::string text = "futurerand metric terms 1\n" + std::to_string(name.size()) + "\n" +
                           name + "\n" + to_json(plan.plan()) + "\n" + std::to_string(clock.start) +
                           "\n" + std::to_string(clock.length) + "\n";
  return blake2b(bytes_of(text));
}

Period MetricTerms::period_at(std::int64_t seconds) const {
  return clock.period_at(seconds, plan.plan().num_periods + 1);
}

}  // namespace futurerand
