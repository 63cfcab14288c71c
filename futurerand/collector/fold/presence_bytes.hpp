// The tables of presence as bytes, in checkpoints and in rows of a cluster's databases.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/estimator/presence/presence.hpp"

namespace futurerand {

void put_presence(std::string& bytes, const Presence& presence);
// Adds tables of the same plan and strata to a presence. The reader shows bytes that end early.
void read_presence(ByteReader& in, Presence& presence);

}  // namespace futurerand
