// Presence as bytes, in checkpoints and in rows of a cluster's databases.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/estimator/presence.hpp"

namespace futurerand {

// `may_be_silent`: what the plan's one view says of its reports.
void put_presence(std::string& bytes, const Presence& presence, bool may_be_silent);
// Reads into an empty one. Returns false if the bytes are not of this plan.
bool read_presence(ByteReader& in, bool may_be_silent, Presence& presence);

}  // namespace futurerand
