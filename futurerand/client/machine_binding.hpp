// A device's records are bound to one machine: the record "machine" has a random key and the keyed
// hash of the machine's identity under it. A copied folder or a cloned image has another identity.
// It is refused, retires, and is refused for ever after, because both copies would otherwise go on
// from the same noise with other values. An old copy on the same machine is not noticed: that takes
// a MonotonicCounter.
//
// The identity is neither stored nor sent, and two folders of one machine have different hashes.
//
// Thread safety: that of the store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/client/state_store.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

// Binds the records to this machine, or checks that they are bound to it. Requires an identity that
// is not empty. kRefused on another machine, and afterwards on any; kDamaged if the record is not
// one; kNoEntropy; kNoRoom.
Status bind_to_machine(StateStore& store, std::string_view identity, RandomSource& entropy);

enum class MachineBinding : std::uint8_t { kUnbound, kBound, kRetired };
// "unbound", "bound" or "retired".
std::string_view name_of(MachineBinding binding);
Result<MachineBinding> read_machine_binding(StateStore& store);

// Returns the system's identity of this machine: /etc/machine-id on Linux, the registry's
// MachineGuid on Windows. Empty if it has none, as in many containers.
std::string system_machine_identity();

}  // namespace futurerand
