// The messages of a device: one enrolment, runs of signs, and at last that it leaves or is to be
// forgotten. Nothing else ever leaves it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/packed_signs.hpp"

namespace futurerand {

// It is random, serves one metric only, and says nothing of the device or its user.
struct ClientId {
  std::array<std::uint8_t, 16> bytes{};
  friend auto operator<=>(const ClientId&, const ClientId&) = default;
};

// It is sent once, on joining in `period`, whatever the value is.
struct Enrolment {
  ClientId client;
  std::uint32_t view = 0;    // index into Plan::views
  Period period = 0;         // the device counts as holding 0 before it
  std::uint32_t index = 0;   // a snapshot view's first index, 1..stride; 0 for other views
  std::string segment = {};  // of Plan::segments, in the clear; empty if there are none
  friend bool operator==(const Enrolment&, const Enrolment&) = default;
};

// It covers indices of this client from first_index on, the view's stride apart (1 except for
// snapshots).
struct Report {
  ClientId client;
  std::uint32_t first_index = 0;
  PackedSigns signs;
  friend bool operator==(const Report&, const Report&) = default;
};

// The device takes part no more, from this period on. It is sent whatever the value is.
struct Leave {
  ClientId client;
  Period period = 0;
  friend bool operator==(const Leave&, const Leave&) = default;
};

// The device leaves, and all that it reported is to be taken out. The id, which only the device
// knows, is the right to ask for it.
struct Forget {
  ClientId client;
  friend bool operator==(const Forget&, const Forget&) = default;
};

}  // namespace futurerand
