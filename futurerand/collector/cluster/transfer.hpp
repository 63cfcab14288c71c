// A whole collector moves: from a data folder into the databases of a cluster, and back. Metrics
// that still count go on counting there, with all that is known of their devices.
//
// Thread safety: one thread. No collector may run meanwhile, with the folder or in the cluster.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "futurerand/collector/cluster/database.hpp"
#include "futurerand/collector/fold/keyed_hash.hpp"
#include "futurerand/collector/log/data_folder.hpp"
#include "futurerand/collector/log/event.hpp"

namespace futurerand {

struct Transferred {
  std::uint64_t metrics = 0;
  std::uint64_t devices = 0;  // that may still report
};

// The key is for a log that has no checkpoint and so no key of its own.
// This requires a cluster that is new. Metrics that were deleted are left out. After an error the
// cluster is to be made anew; the folder stays as it is.
Result<Transferred> import_folder(const std::filesystem::path& folder,
                                  const std::vector<std::unique_ptr<Database>>& databases,
                                  const HashKey& key, const Say& say);
// This makes a folder where there is none. The cluster stays as it is.
Result<Transferred> export_folder(const std::vector<std::unique_ptr<Database>>& databases,
                                  const std::filesystem::path& folder, const HashKey& key,
                                  const Say& say);

}  // namespace futurerand
