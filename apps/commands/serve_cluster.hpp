// serve --cluster: a collector whose log is the databases of a cluster.
#pragma once

#include <string>

#include "futurerand/collector/http/service.hpp"

namespace futurerand::apps {

struct ServeClusterFlags {
  std::string file;
  std::string advertise;  // empty: the address that it listens on
};

// Serves until a signal. Of the options everything but the store counts. Throws Failure.
void serve_cluster(const ServeClusterFlags& flags, const ServiceOptions& options);

}  // namespace futurerand::apps
