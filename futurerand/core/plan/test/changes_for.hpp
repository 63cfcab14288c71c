// For tests that go through all protocols: how many changes to plan for.
#pragma once

#include <cstdint>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

// Returns 1 for pulse, which serves no more, and `changes` for all others.
constexpr std::uint32_t changes_for(Protocol protocol, std::uint32_t changes) {
  return protocol == Protocol::kPulse ? 1 : changes;
}

}  // namespace futurerand
