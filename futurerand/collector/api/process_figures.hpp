// What the process is and uses, as Prometheus calls these figures everywhere: build, memory, time
// of the processor, open files.
#pragma once

#include <string>

namespace futurerand {

// Lines for GET /metrics. What the system does not tell is left out.
std::string process_prometheus();

}  // namespace futurerand
