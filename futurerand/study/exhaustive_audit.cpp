#include "futurerand/study/exhaustive_audit.hpp"

#include <algorithm>
#include <optional>

#include "futurerand/audit/exhaustive_innovation.hpp"
#include "futurerand/audit/exhaustive_pulse.hpp"
#include "futurerand/wire/certificate_document.hpp"

namespace futurerand {
namespace {

// On a longer horizon a device's reports are the same, and as frequent.
constexpr Period kLongest = 1 << 14;

std::optional<View> changes_of_longer_horizons(const Plan& plan) {
  for (Period periods = plan.num_periods; periods <= kLongest; periods *= 2) {
    const Result<Plan> longer =
        make_plan(plan.protocol, periods, plan.max_changes, plan.epsilon, plan.initial);
    if (!longer) return std::nullopt;
    for (const View& view : longer->views) {
      if (view.kind == ViewKind::kChanges) return view;
    }
  }
  return std::nullopt;
}

struct Exercise {
  std::string view;
  const Law& law;
  std::uint32_t length;
};

Result<std::vector<LengthAudit>> run_pulses(const Plan& plan, const Progress& progress) {
  const Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
  if (!certified) return certified.error();
  std::vector<LengthAudit> audits;
  for (std::uint32_t v = 0; v < plan.views.size(); ++v) {
    progress.show(static_cast<double>(v) / static_cast<double>(plan.views.size()));
    if (progress.stopped()) return interrupted();
    const Result<ExhaustiveAudit> audit = audit_pulse_exhaustively(*certified, v);
    if (!audit) return audit.error();
    audits.push_back({describe(plan.views[v]), plan.num_periods, *audit});
  }
  return audits;
}

}  // namespace

Result<std::vector<LengthAudit>> run_exhaustive(const Plan& plan, const Progress& progress) {
  if (plan.protocol == Protocol::kInnovation) {
    const Result<CertifiedPlan> certified = CertifiedPlan::create(plan);
    if (!certified) return certified.error();
    const Result<ExhaustiveAudit> audit = audit_innovation_exhaustively(*certified);
    if (!audit) return audit.error();
    return std::vector<LengthAudit>{{describe(plan.views.front()), plan.num_periods, *audit}};
  }
  if (plan.protocol == Protocol::kPulse) return run_pulses(plan, progress);
  std::vector<Exercise> exercises;
  for (const View& view : plan.views) {
    // These devices report as often as their law has signs.
    const bool by_signs = view.kind == ViewKind::kSnapshot || view.kind == ViewKind::kOnce;
    const std::uint32_t length =
        by_signs ? num_signs(view.law) : view.num_indices(plan.num_periods);
    exercises.push_back({describe(view), view.law, length});
  }
  const bool has_changes = std::any_of(plan.views.begin(), plan.views.end(), [](const View& view) {
    return view.kind == ViewKind::kChanges;
  });
  const std::optional<View> changes = plan.protocol == Protocol::kHybrid && !has_changes
                                          ? changes_of_longer_horizons(plan)
                                          : std::nullopt;
  if (changes) {
    exercises.push_back({"changes, if longer", changes->law, plan.num_periods});
  }
  std::vector<LengthAudit> audits;
  for (const Exercise& exercise : exercises) {
    const auto show = [&](double share) {
      progress.show((static_cast<double>(audits.size()) + share) /
                    static_cast<double>(exercises.size()));
    };
    show(0);
    if (progress.stopped()) return interrupted();
    const Result<ExhaustiveAudit> audit =
        audit_exhaustively(exercise.law, exercise.length, plan.epsilon, run_sign_randomizer, show);
    if (!audit) return audit.error();
    audits.push_back({exercise.view, exercise.length, *audit});
  }
  return audits;
}

}  // namespace futurerand
