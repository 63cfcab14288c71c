#include "futurerand/study/audit.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "futurerand/core/privacy/shuffle.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/device_client.hpp"
#include "futurerand/study/ranges.hpp"
#include "futurerand/study/simulation_question.hpp"

namespace futurerand {
namespace {

Status check(const AuditQuestion& question) {
  const EmpiricalQuestion empirical = question.empirical.value_or(EmpiricalQuestion{});
  return first_failure(kUsersRange.check(question.users), kDeltaRange.check(question.delta),
                       kSamplesRange.check(empirical.samples),
                       kConfidenceRange.check(empirical.confidence));
}

// All samples of a pair are in memory at once, and a transcript has two bits a period at most.
Status refuse_too_many(const EmpiricalQuestion& question, Period periods) {
  constexpr double kMost = 1 << 30;
  const double bytes = static_cast<double>(question.samples) * (64 + periods / 4.0);
  if (bytes <= kMost) return {};
  return Error{fmt::format(
      "empirical: {} samples of {} periods take {:.0f} GiB; expected at most 1, so fewer of either",
      question.samples, periods, bytes / kMost)};
}

Result<EmpiricalAudit> run_empirical(const EmpiricalQuestion& question,
                                     const ProtocolSettings& settings, const ClientRun& client,
                                     const Progress& progress) {
  if (const Status few = refuse_too_many(question, settings.num_periods); !few) return few.error();
  const Result<SimulationKey> key = key_from(question.seed);
  if (!key) return key.error();
  EmpiricalSettings empirical;
  empirical.key = *key;
  empirical.samples = question.samples;
  empirical.confidence = question.confidence;
  empirical.threads = std::max(1U, std::thread::hardware_concurrency());
  empirical.cancel = progress.cancel;
  empirical.progress = progress.report;
  return audit_empirically(client, audited_pairs(settings.num_periods, settings.max_changes, *key),
                           empirical);
}

}  // namespace

bool PlanAudit::passed() const {
  if (empirical && empirical->epsilon_at_least > plan.epsilon.value()) return false;
  return certificate.certified() &&
         std::all_of(exhaustive.begin(), exhaustive.end(),
                     [](const LengthAudit& audit) { return audit.result.passed(); });
}

bool RivalAudit::passed() const {
  return certified && !(empirical && empirical->epsilon_at_least > settings.epsilon.value());
}

Result<PlanAudit> audit_plan(const Plan& plan, const AuditQuestion& question,
                             const Progress& progress) {
  if (const Status valid = check(question); !valid) return valid.error();
  Result<PlanCertificate> certificate = certify(plan);
  if (!certificate) return certificate.error();
  const double exact = certificate->exact_epsilon();
  PlanAudit audit{plan, *std::move(certificate),
                  shuffled_epsilon(exact, question.users, question.delta)};
  if (question.exhaustive) {
    Result<std::vector<LengthAudit>> runs = run_exhaustive(plan, progress);
    if (!runs) return runs.error();
    audit.exhaustive = *std::move(runs);
  }
  if (question.empirical) {
    Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
    if (!certified) return certified.error();
    const ProtocolSettings settings{question.users, plan.num_periods,       plan.max_changes,
                                    plan.epsilon,   EstimatorKind::kOnline, question.constants};
    Result<EmpiricalAudit> run = run_empirical(*question.empirical, settings,
                                               device_client(*std::move(certified)), progress);
    if (!run) return run.error();
    audit.empirical = *std::move(run);
  }
  if (progress.stopped()) return interrupted();
  return audit;
}

Result<RivalAudit> audit_rival(const std::string& name, Period periods, std::uint32_t changes,
                               Epsilon epsilon, const AuditQuestion& question,
                               const Progress& progress) {
  const Status valid =
      first_failure(check(question), kPeriodsRange.check(periods), kChangesRange.check(changes));
  if (!valid) return valid.error();
  const ProtocolSettings settings{question.users,         periods,           changes, epsilon,
                                  EstimatorKind::kOnline, question.constants};
  const auto protocol = make_simulated_protocol(name, settings);
  if (!protocol) return protocol.error();
  if (question.exhaustive) {
    return Error{"exhaustive: " + name +
                 " has no integers to enumerate; expected one of the protocols that devices run "
                 "from a plan"};
  }
  const ProtocolTraits& traits = (*protocol)->traits();
  const SequenceLoss loss = (*protocol)->sequence_loss();
  const bool certified = traits.guarantee == Guarantee::kWholeSequence && loss.epsilon &&
                         *loss.epsilon <= epsilon.value() * (1 + 1e-12);
  RivalAudit audit{name,
                   settings,
                   traits.guarantee,
                   traits.online,
                   loss,
                   certified,
                   (*protocol)->published_epsilon(question.users, question.delta)};
  if (question.empirical) {
    const Result<ClientRun> client = (*protocol)->client();
    if (!client) return client.error();
    Result<EmpiricalAudit> run = run_empirical(*question.empirical, settings, *client, progress);
    if (!run) return run.error();
    audit.empirical = *std::move(run);
  }
  if (progress.stopped()) return interrupted();
  return audit;
}

}  // namespace futurerand
