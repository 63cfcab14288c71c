// The device of a plan as a black box: flips in, all that is ever sent out.
#pragma once

#include "futurerand/device/certified_plan.hpp"
#include "futurerand/simulator/client_transcript.hpp"

namespace futurerand {

// Runs the real Device. For numbers, the flips lead through the range: from 0 to its top, one
// third, two thirds, 0 and so on. Labels and buckets are held one after the other. The header of a
// transcript is its enrolment (view, and a snapshot's index), or its row: half of the runs have the
// most sensitive one.
ClientRun device_client(CertifiedPlan plan);

}  // namespace futurerand
