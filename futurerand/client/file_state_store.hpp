// FileStateStore: one file a record in a folder of its own, readable by its owner only.
//
// A record is written to a temporary name, synced, renamed and its folder synced. The folder is
// locked while the store is open, so that no second store of it is: neither of another process nor
// of this one. A forked child does not own the store that it inherits, and cannot use it.
#pragma once

#include <string>

#include <unistd.h>

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
  FileStateStore(MonotonicCounter* counter, std::string folder, int folder_fd, int lock_fd)
      : StateStore(counter),
        folder_(std::move(folder)),
        folder_fd_(folder_fd),
        lock_fd_(lock_fd),
        process_(::getpid()) {}
  Error failure(std::string_view what, std::string_view record, ErrorCode code) const;

  std::string folder_;
  int folder_fd_;
  int lock_fd_;
  pid_t process_;
};

}  // namespace futurerand
