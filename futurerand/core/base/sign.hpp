// Sign: one symbol of a report.
#pragma once

#include <cstdint>

namespace futurerand {

// kSilent is a report too: it is sent like the others.
enum class Sign : std::int8_t { kMinus = -1, kSilent = 0, kPlus = 1 };

constexpr Sign sign_of(bool minus) { return minus ? Sign::kMinus : Sign::kPlus; }
constexpr Sign reversed(Sign sign) { return static_cast<Sign>(-static_cast<int>(sign)); }

}  // namespace futurerand
