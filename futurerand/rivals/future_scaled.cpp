// future_scaled: the paper's law, scaled to spend all of epsilon.
//
// Model, guarantee, estimator: those of `future_rand`, [OWW22] Alg. 1 to 3. The paper's constants
//   serve its proof. The exact loss of its law is 0.19 to 0.48 of epsilon. This law is that of a
//   larger budget, the largest one with an exact certificate within epsilon. The shape stays the
//   paper's; `optimal` also chooses the shape.
// Source: [OWW22] section 5.2 for the law, core/privacy for the certificate.
#include <algorithm>

#include "futurerand/core/law/future_rand.hpp"
#include "futurerand/core/privacy/certificate.hpp"
#include "futurerand/simulator/plan_protocol.hpp"

namespace futurerand::future_scaled {
namespace {

bool is_within(std::uint32_t changes, std::int64_t nanos, Epsilon epsilon) {
  const Result<Certificate> certificate =
      certify(Law(future_rand(changes, *Epsilon::from_nanos(nanos))), epsilon);
  return certificate && certificate->certified;
}

// The bounds of the annulus are rounded to integers, so the loss jumps. The search halves the range
// between a budget that is within epsilon and one that is not.
AnnulusLaw rescaled(std::uint32_t changes, Epsilon epsilon) {
  constexpr std::int64_t kPrecision = 1000;  // nanos
  std::int64_t low = epsilon.nanos();
  std::int64_t high = Epsilon::kMaxNanos;
  if (is_within(changes, high, epsilon)) return future_rand(changes, *Epsilon::from_nanos(high));
  while (high - low > kPrecision) {
    const std::int64_t middle = low + (high - low) / 2;
    (is_within(changes, middle, epsilon) ? low : high) = middle;
  }
  return future_rand(changes, *Epsilon::from_nanos(low));
}

Result<std::unique_ptr<SimulatedProtocol>> make(std::string_view name,
                                                const ProtocolSettings& settings) {
  // This also checks the settings against the paper's range.
  Result<Plan> plan = make_plan(Protocol::kFutureRand, settings.num_periods, settings.max_changes,
                                settings.epsilon);
  if (!plan) return plan.error();
  const AnnulusLaw law = rescaled(settings.max_changes, settings.epsilon);
  for (View& view : plan->views) view.law = law;
  return make_protocol_from(*std::move(plan), std::string(name), settings);
}

}  // namespace

ProtocolKind rival() { return {"future_scaled", make}; }

}  // namespace futurerand::future_scaled
