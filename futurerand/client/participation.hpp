// UserDecision: what the user decided about this device, remembered with its records.
//
// Thread safety: that of the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "futurerand/client/record_lease.hpp"
#include "futurerand/client/state_store.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

enum class UserDecision : std::uint8_t {
  kOn,         // it joins metrics, observes and sends
  kLocalOnly,  // nobody was asked yet: it joins nothing
  kOff,        // the user said no: it joins, observes and sends nothing, except that it leaves
};

// "on", "local_only" or "off".
std::string_view name_of(UserDecision participation);
std::optional<UserDecision> participation_named(std::string_view name);

// Returns what the store remembers; kOn if it remembers nothing. kDamaged if it cannot be read.
Result<UserDecision> read_participation(StateStore& store);
// Tells whether it remembers anything.
Result<bool> remembers_participation(StateStore& store);
// Saves it, before it counts.
Status save_participation(StateStore& store, UserDecision participation);

}  // namespace futurerand
