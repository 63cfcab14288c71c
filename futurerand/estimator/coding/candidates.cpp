#include "futurerand/estimator/coding/candidates.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "futurerand/core/coding/label.hpp"

namespace futurerand {

Result<std::vector<CandidateGroup>> group_candidates(const Coding& coding,
                                                     const std::vector<std::string>& candidates) {
  if (candidates.size() > Coding::kMaxLabels) {
    return Error{"the list has " + std::to_string(candidates.size()) +
                 " candidates; expected at most " + std::to_string(Coding::kMaxLabels)};
  }
  std::vector<CandidateGroup> groups;
  std::unordered_map<std::uint32_t, std::size_t> group_of;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string& text = candidates[i];
    const Result<std::uint32_t> code = coding.code(std::string_view(text));
    if (!code) {
      return Error{"candidate " + std::to_string(i + 1) + " has " + std::to_string(text.size()) +
                   " bytes; expected 1 to " + std::to_string(kMaxLabelBytes) +
                   " bytes of UTF-8 without control characters"};
    }
    const auto [group, is_new] = group_of.try_emplace(*code, groups.size());
    if (is_new) groups.push_back({*code, {}});
    std::vector<std::string>& texts = groups[group->second].texts;
    if (std::find(texts.begin(), texts.end(), text) != texts.end()) {
      return Error{"the candidate '" + text + "' occurs twice; expected distinct candidates"};
    }
    texts.push_back(text);
  }
  return groups;
}

std::vector<std::string> new_candidates(const std::vector<std::string>& known,
                                        const std::vector<std::string>& texts) {
  std::set<std::string_view> seen(known.begin(), known.end());
  std::vector<std::string> fresh;
  for (const std::string& text : texts) {
    if (seen.insert(text).second) fresh.push_back(text);
  }
  return fresh;
}

}  // namespace futurerand
