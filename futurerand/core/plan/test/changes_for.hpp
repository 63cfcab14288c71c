// For tests that go through all protocols: what each serves.
#pragma once

#include <cstdint>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Returns 1 for pulse and 0 for once, which serve no more, and `changes` for all others.
constexpr std::uint32_t changes_for(Protocol protocol, std::uint32_t changes) {
  if (protocol == Protocol::kOnce) return 0;
  return protocol == Protocol::kPulse ? 1 : changes;
}

// Returns `zero`, except for the protocol `once`, which needs an unknown start.
constexpr Initial initial_for(Protocol protocol) {
  return protocol == Protocol::kOnce ? Initial::kUnknown : Initial::kZero;
}

}  // namespace futurerand
