// serve --cluster: a collector with its log in the databases of a cluster.
#pragma once

#include <csignal>
#include <string>

#include "futurerand/collector/http/service.hpp"

namespace futurerand::apps {

struct ServeClusterFlags {
  std::string file;
  std::string advertise;  // empty: the listening address
};

// Blocks SIGTERM and SIGINT in this thread and in threads started later.
sigset_t hold_signals();

// Serves until a signal. Of the options everything but the store counts. Throws Failure.
void serve_cluster(const ServeClusterFlags& flags, const ServiceOptions& options);

}  // namespace futurerand::apps
