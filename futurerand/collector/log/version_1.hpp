// Folders of version 1, which RocksDB kept: read once, and written anew as version 2. This is all
// that RocksDB is used for.
#pragma once

#include <filesystem>

#include "futurerand/collector/log/data_folder.hpp"

namespace futurerand {

// It is one also if an upgrade was begun and did not get to its end.
bool is_version_1(const std::filesystem::path& folder);

// Moves the files of version 1 into version-1/, where they stay until the operator deletes them,
// and writes what they hold as files of version 2. May be repeated from any point. Damage is an
// error that names the place; with `repair` what comes before it is written, and what is lost is
// said: version-1/ is never changed.
Status upgrade_version_1(const DataFolder& folder, bool repair, const Say& say);

}  // namespace futurerand
