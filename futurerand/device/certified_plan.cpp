#include "futurerand/device/certified_plan.hpp"

#include <string>

#include "futurerand/core/plan/plan_certificate.hpp"

namespace futurerand {

Result<CertifiedPlan> CertifiedPlan::create(Plan plan) {
  if (const Status valid = validate(plan); !valid) return valid.error();
  const Result<PlanCertificate> certificate = certify(plan);
  if (!certificate) return certificate.error();
  for (std::size_t v = 0; v < plan.views.size(); ++v) {
    const Certificate& view = certificate->views[v];
    if (!view.certified) {
      return Error{"view " + std::to_string(v) + " may lose epsilon " +
                       std::to_string(view.exact_epsilon) + "; expected at most the plan's " +
                       plan.epsilon.text(),
                   ErrorCode::kRefused};
    }
  }
  CertifiedPlan certified(std::move(plan));
  const std::vector<View>& views = certified.plan_.views;
  for (std::size_t v = 0; v < views.size(); ++v) {
    // Orders of the paper's framework share one law, and so one sampler.
    if (v == 0 || views[v].law != views[v - 1].law) {
      Result<LawSampler> sampler = LawSampler::create(views[v].law);
      if (!sampler) return sampler.error();
      certified.samplers_.push_back(*std::move(sampler));
    }
    if (const auto* law = std::get_if<WeightedThresholdLaw>(&views[v].law)) {
      certified.innovation_levels_ =
          std::make_shared<const InnovationLevels>(*law, certified.plan_.coding.full_scale());
    }
    certified.sampler_of_.push_back(static_cast<std::uint32_t>(certified.samplers_.size() - 1));
  }
  return certified;
}

}  // namespace futurerand
