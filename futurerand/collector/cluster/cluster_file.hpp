// ClusterFile: the configuration of every collector of a cluster. It is a JSON object with the
// databases, in an order that never changes, and the shared secret of the collectors.
//
// Thread safety: plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct ClusterFile {
  std::vector<std::string> databases;  // connection strings of libpq
  std::string secret;
  std::string ca_file = {};  // CA certificates to trust between collectors with TLS; empty: the
                             // system's

  // Returns the id of this cluster. It does not reveal the secret.
  std::string id() const;
};

Result<ClusterFile> parse_cluster_file(std::string_view text);

}  // namespace futurerand
