// Sign: one symbol of a report.
#pragma once

#include <cstdint>

namespace futurerand {

// kZero is a report too: it is sent like the others.
enum class Sign : std::int8_t { kMinus = -1, kZero = 0, kPlus = 1 };

// This is arithmetic, because compilers otherwise make a branch of it, or compute it twice.
constexpr Sign sign_of(bool minus) { return static_cast<Sign>(1 - 2 * int{minus}); }
constexpr Sign reversed(Sign sign) { return static_cast<Sign>(-static_cast<int>(sign)); }

}  // namespace futurerand
