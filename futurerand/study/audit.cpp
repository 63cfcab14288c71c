#include "futurerand/study/audit.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "futurerand/core/privacy/shuffle.hpp"
#include "futurerand/device/certified_plan.hpp"
#include "futurerand/rivals/protocol_registry.hpp"
#include "futurerand/simulator/device_client.hpp"
#include "futurerand/study/simulation_question.hpp"

namespace futurerand {
namespace {

// All samples of a pair are in memory at once, and a transcript has two bits a period at most.
Status refuse_too_many(const AuditQuestion& question, Period periods) {
  constexpr double kMost = 1 << 30;
  const double bytes = static_cast<double>(question.samples) * (64 + periods / 4.0);
  if (bytes <= kMost) return {};
  return Error{
      fmt::format("empirical: {} samples of {} periods take {:.1f} GiB; expected at most 1: fewer "
                  "samples or periods",
                  question.samples, periods, bytes / kMost)};
}

Result<EmpiricalAudit> run_empirical(const AuditQuestion& question, Period periods,
                                     std::uint32_t changes, const ClientRun& client,
                                     const Progress& progress) {
  if (const Status few = refuse_too_many(question, periods); !few) return few.error();
  const Result<SimulationKey> key = key_from(question.seed);
  if (!key) return key.error();
  EmpiricalSettings empirical;
  empirical.key = *key;
  empirical.samples = question.samples;
  empirical.confidence = question.confidence;
  empirical.threads = std::max(1U, std::thread::hardware_concurrency());
  empirical.cancel = progress.cancel;
  empirical.progress = progress.report;
  return audit_empirically(client, audited_pairs(periods, changes, *key), empirical);
}

}  // namespace

bool PlanAudit::passed() const {
  if (empirical && empirical->epsilon_at_least > plan.epsilon.value()) return false;
  return certificate.certified() &&
         std::all_of(exhaustive.begin(), exhaustive.end(),
                     [](const LengthAudit& audit) { return audit.result.passed(); });
}

bool RivalAudit::passed() const {
  return keeps_epsilon && !(empirical && empirical->epsilon_at_least > settings.epsilon.value());
}

Result<std::optional<SeasonBudget>> AuditQuestion::season_budget(const Plan& plan) const {
  if (!every) {
    if (rest || window) return Error{"rest or window: expected every with it"};
    return std::optional<SeasonBudget>();
  }
  const Result<Calendar> calendar =
      Calendar::create(plan.num_periods, *every, rest.value_or(plan.num_periods));
  if (!calendar) return calendar.error();
  return std::optional(SeasonBudget::of(*calendar, plan.epsilon, window, life));
}

Result<PlanAudit> audit_plan(const Plan& plan, const AuditQuestion& question,
                             const Progress& progress) {
  Result<PlanCertificate> certificate = certify(plan);
  if (!certificate) return certificate.error();
  const double exact = certificate->exact_epsilon();
  const Result<double> central = certificate->certified()
                                     ? shuffled_epsilon(exact, question.users, question.delta)
                                     : Error{"the plan is not private at its epsilon"};
  PlanAudit audit{plan, *std::move(certificate), central};
  const Result<std::optional<SeasonBudget>> seasons = question.season_budget(plan);
  if (!seasons) return seasons.error();
  audit.seasons = *seasons;
  if (question.exhaustive) {
    Result<std::vector<LengthAudit>> runs = run_exhaustive(plan, progress);
    if (!runs) return runs.error();
    audit.exhaustive = *std::move(runs);
  }
  if (question.empirical) {
    Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
    if (!certified) return certified.error();
    Result<EmpiricalAudit> run = run_empirical(question, plan.num_periods, plan.max_changes,
                                               device_client(*std::move(certified)), progress);
    if (!run) return run.error();
    audit.empirical = *std::move(run);
  }
  if (progress.stopped()) return interrupted();
  return audit;
}

Result<RivalAudit> audit_rival(const std::string& name, const AuditQuestion& question,
                               const Progress& progress) {
  const ProtocolSettings settings = question.settings(question.users, question.constants);
  const auto protocol = make_simulated_protocol(name, settings);
  if (!protocol) return protocol.error();
  if (question.exhaustive) {
    return Error{"exhaustive: " + name +
                 " has no integers to enumerate; expected a protocol with a plan"};
  }
  const ProtocolTraits& traits = (*protocol)->traits();
  const SequenceLoss loss = (*protocol)->sequence_loss();
  const bool keeps_epsilon = traits.guarantee == Guarantee::kWholeSequence && loss.epsilon &&
                             *loss.epsilon <= question.epsilon.value() * (1 + 1e-12);
  RivalAudit audit{name,
                   settings,
                   traits.guarantee,
                   traits.online,
                   loss,
                   keeps_epsilon,
                   (*protocol)->published_epsilon(question.users, question.delta)};
  if (question.empirical) {
    const Result<ClientRun> client = (*protocol)->client();
    if (!client) return client.error();
    Result<EmpiricalAudit> run =
        run_empirical(question, question.periods, question.changes, *client, progress);
    if (!run) return run.error();
    audit.empirical = *std::move(run);
  }
  if (progress.stopped()) return interrupted();
  return audit;
}

}  // namespace futurerand
