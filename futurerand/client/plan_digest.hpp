// The digest of a plan, by which a device, a reviewer and an operator can tell that they speak of
// the same one. docs/wire.md says how to compute it without this program.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Returns "sha256:" and the 64 hex digits of SHA-256 over the one spelling of the plan,
// to_json(plan).
std::string plan_digest(const Plan& plan);

}  // namespace futurerand
