// Candidates: the texts an operator asks a text metric about. Texts with the same hash are
// indistinguishable, so they share one count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "futurerand/core/coding/coding.hpp"

namespace futurerand {

struct CandidateGroup {
  std::uint32_t code = 0;
  std::vector<std::string> texts;  // in the order of the list
  friend bool operator==(const CandidateGroup&, const CandidateGroup&) = default;
};

// Groups a list by hash, in the order of the first text of each group. A longer list with this one
// as its beginning keeps the groups and may add to them. Returns kInvalid for an invalid label, a
// repeated text, or more than Coding::kMaxLabels texts. Requires a text coding.
Result<std::vector<CandidateGroup>> group_candidates(const Coding& coding,
                                                     const std::vector<std::string>& candidates);

// Returns the unknown texts, each once, in their order.
std::vector<std::string> new_candidates(const std::vector<std::string>& known,
                                        const std::vector<std::string>& texts);

}  // namespace futurerand
