// The Coq file of a plan: its integers and a theorem that they are epsilon-private. It rests on the
// theorems in proofs/. docs/proof.md explains the check.
#pragma once

#include <string>
#include <string_view>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Returns the file's text. A law shared by several views is written once. The gaps are left out,
// because privacy does not depend on them. `version` is that of the program.
std::string coq_file(const Plan& plan, std::string_view version);

}  // namespace futurerand
