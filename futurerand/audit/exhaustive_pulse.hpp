// Exhaustive audit of `pulse`: runs the device on every sequence of values, with every set of
// slots, and with exact weights; compares the probability of every output between all pairs of
// sequences. core/law/pulse.md.
//
// It looks at nothing of the device but its outputs.
#pragma once

#include "futurerand/audit/exhaustive.hpp"
#include "futurerand/device/certified_plan.hpp"

namespace futurerand {

// Audits devices of this view, joining in this period. In the result, property_one and
// ratio_bounded are as there. property_two: up to one change, a pulse is likelier by exactly the
// law's gap while x_s - x_(s-window) is 1. property_three: the law of the reports so far depends
// only on the values so far. Requires a plan of `pulse`, a view of it, and 1 <= joined <= periods.
// Fails if 2^25 reports do not suffice.
Result<ExhaustiveAudit> audit_pulse_exhaustively(const CertifiedPlan& plan, std::uint32_t view,
                                                 Period joined = 1);

}  // namespace futurerand
