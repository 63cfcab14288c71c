// Moves a whole collector from a data folder into the databases of a cluster, and back. Open
// metrics continue there with all device records.
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
  std::uint64_t devices = 0;  // with open metrics
};

// The key is for a log without a checkpoint, and so without its own key. Requires a new cluster.
// Deleted metrics are left out. After an error the cluster must be made anew; the folder is
// unchanged.
Result<Transferred> import_folder(const std::filesystem::path& folder,
                                  const std::vector<std::unique_ptr<Database>>& databases,
                                  const HashKey& key, const Say& say);
// Makes a new folder. The cluster is unchanged.
Result<Transferred> export_folder(const std::vector<std::unique_ptr<Database>>& databases,
                                  const std::filesystem::path& folder, const HashKey& key,
                                  const Say& say);

}  // namespace futurerand
