// FileStateStore: one file a record in a folder of its own, readable by its owner only.
//
// A record is written to a temporary name, synced, renamed and its folder synced. The folder is
// locked while the store is open, so that no second store of it is: neither of another process nor
// of this one. A forked child does not own the store that it inherits, and cannot use it.
//
// A folder's path is in UTF-8. On Windows, renaming and writing through take the place of the
// folder's sync, and the file system is NTFS or ReFS: others do not keep a rename whole.
#pragma once

#include <memory>
#include <string>

#include "futurerand/client/state_store.hpp"

namespace futurerand {

class FileStateStore final : public StateStore {
 public:
  // Makes the folder and its parents if need be. Fails if it is open already, here or elsewhere.
  static Result<FileStateStore> open(const std::string& folder,
                                     MonotonicCounter* counter = nullptr);
  FileStateStore(FileStateStore&& other) noexcept;
  FileStateStore& operator=(FileStateStore&&) = delete;
  ~FileStateStore() override;

  Result<std::optional<Bytes>> load(std::string_view record) override;
  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override;
  Result<std::vector<std::string>> names() override;

 private:
  struct Folder;  // open and locked, as the platform has it
  FileStateStore(MonotonicCounter* counter, std::unique_ptr<Folder> folder);

  std::unique_ptr<Folder> folder_;
};

}  // namespace futurerand
