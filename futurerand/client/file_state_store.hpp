// FileStateStore: one file a record in a folder of its own, readable by its owner only.
//
// A record is written to a temporary name, synced, renamed and its folder synced. The folder is
// locked while the store is open: two processes that both went on from one state would randomize
// the same index twice.
#pragma once

#include <string>

#include "futurerand/client/state_store.hpp"

namespace futurerand {

class FileStateStore final : public StateStore {
 public:
  // Makes the folder and its parents if need be. Fails if it is open already, here or elsewhere.
  static Result<FileStateStore> open(const std::string& folder);
  FileStateStore(FileStateStore&& other) noexcept;
  FileStateStore& operator=(FileStateStore&&) = delete;
  ~FileStateStore() override;

  Result<std::optional<Bytes>> load(std::string_view record) override;
  Status save(std::string_view record, std::span<const std::uint8_t> bytes) override;

 private:
  FileStateStore(std::string folder, int folder_fd, int lock_fd)
      : folder_(std::move(folder)), folder_fd_(folder_fd), lock_fd_(lock_fd) {}
  Error failure(std::string_view what, std::string_view record, ErrorCode code) const;

  std::string folder_;
  int folder_fd_;
  int lock_fd_;
};

}  // namespace futurerand
