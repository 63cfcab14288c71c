// The named laws of the paper's framework: (name, k, epsilon) -> integers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/law/law.hpp"

namespace futurerand {

inline constexpr std::uint32_t kMaxChanges = 4096;

enum class LawName { kWarner, kErlingsson, kBun, kFutureRand, kOptimal };

inline constexpr std::array kLawNames = {LawName::kWarner, LawName::kErlingsson, LawName::kBun,
                                         LawName::kFutureRand, LawName::kOptimal};

std::string_view name_of(LawName law);
std::optional<LawName> law_named(std::string_view name);

// Returns the law for at most max_changes changes (1..4096) and a budget in the law's own range.
Result<Law> make_law(LawName law, std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
