// The Coq file of a plan: its integers and the theorem that they are epsilon-private. proofs/ has
// the theorems that it rests on, docs/proof.md says how to check it.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Returns the file's text. A law that several views share is written once. The gaps are left out,
// because privacy does not depend on them. `version` is that of the program.
std::string coq_file(const Plan& plan, std::string_view version);

}  // namespace futurerand
