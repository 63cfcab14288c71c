// The cluster file that --cluster and the `cluster` commands name.
#pragma once

#include <string>

#include "apps/cli/failure.hpp"
#include "apps/cli/input_file.hpp"
#include "futurerand/collector/cluster/cluster_file.hpp"

namespace futurerand::apps {

// Failure if it cannot be read.
inline ClusterFile read_cluster_file(const std::string& path) {
  Result<ClusterFile> file = parse_cluster_file(read_file(path));
  if (!file) throw bad_input(path + ": " + file.error().message);
  return *std::move(file);
}

}  // namespace futurerand::apps
