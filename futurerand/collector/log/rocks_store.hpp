// RocksStore: log and checkpoints in one RocksDB folder. Every group carries its own checksum and
// its number, and every append is synced. A torn tail (a crash while writing) is dropped and said;
// any other damage is an error that names the file and the offset, unless the operator asked for
// repair: then the log ends before the damage.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "futurerand/collector/log/log.hpp"

namespace rocksdb {
class Env;
}

namespace futurerand {

struct RocksOptions {
  std::filesystem::path folder;
  bool keep_log = false;  // after a checkpoint too
  bool repair = false;    // drop what follows damage instead of refusing to open
  std::function<void(const std::string& line)> say = [](const std::string&) {};
  rocksdb::Env* env = nullptr;  // tests put a failing disk here; null is the real one
};

class RocksStore final : public Log, public Checkpoints {
 public:
  static Result<std::unique_ptr<RocksStore>> open(const RocksOptions& options);
  ~RocksStore() override;
  RocksStore(const RocksStore&) = delete;
  RocksStore& operator=(const RocksStore&) = delete;

  AppendResult append(std::uint64_t sequence, std::string_view group) override;
  Status recover() override;
  Status replay(std::uint64_t after, const Log::Visit& visit) override;

  std::uint64_t newest() const override;
  Status put(std::uint64_t sequence, std::uint32_t piece, std::string_view bytes) override;
  Status commit(std::uint64_t sequence) override;
  Status read(const Checkpoints::Visit& visit) override;

 private:
  struct Database;
  explicit RocksStore(const RocksOptions& options);
  Status open_database();
  // Whether a torn or damaged tail is to be dropped.
  Result<bool> check_wals() const;

  RocksOptions options_;
  std::atomic<bool> sync_failed_ = false;
  std::unique_ptr<Database> database_;
};

}  // namespace futurerand
