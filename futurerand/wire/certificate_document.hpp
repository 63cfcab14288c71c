// The certificate of a plan as one document that loses nothing on the way through other programs:
// parameters, integers, digest, verdict and version. docs/wire.md describes it, so that others can
// compute the same.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "futurerand/core/plan/plan_certificate.hpp"

namespace futurerand {

// Returns the gap of the law if it is the same in all views.
std::optional<double> common_gap(const PlanCertificate& certificate);

// Returns how far the gaps that an innovation plan states are from those of its law, as a share,
// and none for other plans. Counts would be biased by it; privacy does not depend on it.
std::optional<double> gaps_off(const Plan& plan);

// Writes "changes over 4", "snapshot every 2", "every value", "news of every period" or
// "pulses, window 4".
std::string describe(const View& view);

// `digest` is plan_digest() of the plan, which needs what devices hash with; `version` is that of
// the program that certified. Integers that may need 64 bits are text, here as on the wire. `jq -jc
// .plan | sha256sum` gives the digest.
std::string certificate_document(const Plan& plan, const PlanCertificate& certificate,
                                 std::string_view digest, std::string_view version);

}  // namespace futurerand
