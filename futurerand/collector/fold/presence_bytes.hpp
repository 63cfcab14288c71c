// Presence as bytes, in checkpoints and in rows of a cluster's databases: who left when, and apart
// from it, where there are limits, what transcripts said beyond them.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/estimator/presence.hpp"

namespace futurerand {

void put_presence(std::string& bytes, const Presence& presence);
// Reads into an empty one of the same plan. Returns false if the bytes are not of this plan.
bool read_presence(ByteReader& in, Presence& presence);

// Nothing if there are no limits.
void put_beyond(std::string& bytes, const Presence& presence);
// Adds them to what is there.
void read_beyond(ByteReader& in, Presence& presence);

}  // namespace futurerand
