#include "futurerand/study/coq_file.hpp"

#include <algorithm>
#include <numeric>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "futurerand/client/plan_digest.hpp"

namespace futurerand {
namespace {

// These write one law as a constructor of proofs/laws.v.
struct LawTerm {
  std::string operator()(const ProductLaw& law) const {
    return fmt::format("Product {} {}", law.num_signs, law.flip);
  }
  std::string operator()(const SingleLaw& law) const {
    return fmt::format("Single {} {}", law.num_signs, law.flip);
  }
  std::string operator()(const AnnulusLaw& law) const {
    return fmt::format("Annulus {} {} {} {}", law.num_signs, law.flip, law.first_kept,
                       law.last_kept);
  }
  std::string operator()(const ThresholdLaw& law) const {
    return fmt::format("Threshold {} {} {}", law.num_signs, law.tau, law.low_side);
  }
  std::string operator()(const SparseLaw& law) const {
    return fmt::format("Sparse {} {} {} {}", law.num_signs, law.nonzero, law.tau, law.high_side);
  }
  // A constructor of proofs/pulse_plan.v: the window, and a slot for each period.
  std::string operator()(const PulseLaw& law) const {
    return fmt::format("Pulse {} {} {} {}", law.window, law.num_signs - law.window, law.pulses,
                       law.high_side);
  }
  std::string operator()(const WeightedThresholdLaw& law) const {
    std::string levels;
    for (const auto& level : law.levels) {
      levels +=
          fmt::format("{}({}, {})", levels.empty() ? "" : ";\n      ", level.count, level.weight);
    }
    return fmt::format("WeightedThreshold\n     [:: {}]\n      {} {} {}", levels, law.theta,
                       law.high_side, law.nonzero);
  }
};

}  // namespace

std::string coq_file(const Plan& plan, std::string_view version) {
  std::vector<Law> laws;
  for (const View& view : plan.views) {
    if (std::find(laws.begin(), laws.end(), view.law) == laws.end()) laws.push_back(view.law);
  }
  std::string terms;
  for (const Law& law : laws) {
    terms += (terms.empty() ? "" : ";\n      ") + std::visit(LawTerm{}, law);
  }
  const bool is_pulse = plan.protocol == Protocol::kPulse;
  const std::int64_t unit = std::gcd(plan.epsilon.nanos(), Epsilon::kNanosPerUnit);
  return fmt::format(
      R"((* {} over {} periods, at most {} changes, epsilon {}.
   Plan {}
   Written by futurerand {}. Check it with proofs/check (docs/proof.md). *)
From Coq Require Import NArith ZArith Reals.
From mathcomp Require Import all_ssreflect.
From futurerand Require Import laws plan pulse_plan.
Local Open Scope N_scope.

Definition laws : list {} :=
  [:: {}].

Theorem plan_is_private : {} laws (IZR (Z.of_N {}) / IZR (Z.of_N {})).
Proof. apply: {}; vm_cast_no_check (erefl true). Qed.

Print Assumptions plan_is_private.
)",
      name_of(plan.protocol), plan.num_periods, plan.max_changes, plan.epsilon.text(),
      plan_digest(plan), version, is_pulse ? "pulse_integers" : "law_integers", terms,
      is_pulse ? "pulse_private" : "plan_private", plan.epsilon.nanos() / unit,
      Epsilon::kNanosPerUnit / unit, is_pulse ? "pulse_checked" : "plan_checked");
}

}  // namespace futurerand
