#include "futurerand/collector/log/version_1.hpp"

#include <memory>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/collector/log/checkpoint_file.hpp"
#include "futurerand/collector/log/crc32c.hpp"
#include "futurerand/collector/log/log_writer.hpp"
#include "futurerand/collector/log/mark.hpp"
#include "futurerand/collector/log/version_1_scan.hpp"

namespace futurerand {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersion1 = "futurerand collector 1";
constexpr std::string_view kWhatToDo =
    "; restore the folder from a copy, or start with --repair to keep only what comes before";

// Keys are big-endian numbers.
std::string version_1_key(std::uint64_t number) {
  std::string key(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) key[i] = static_cast<char>(number >> (56 - 8 * i));
  return key;
}
std::uint64_t number_of(std::string_view key) {
  std::uint64_t number = 0;
  for (const char byte : key.substr(0, 8)) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}
std::string_view text_of(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

bool is_version_1_name(const std::string& name) {
  return name == "CURRENT" || name == "IDENTITY" || name.starts_with("MANIFEST-") ||
         name.starts_with("OPTIONS-") || name.starts_with("LOG") || name.ends_with(".sst") ||
         name.ends_with(".log") || name.ends_with(".dbtmp");
}

Status move_version_1(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directory(to, failed);
  std::vector<fs::path> names;
  if (!failed) {
    for (const fs::directory_entry& entry : fs::directory_iterator(from, failed)) {
      const fs::path name = entry.path().filename();
      if (entry.is_regular_file() && is_version_1_name(name.string())) names.push_back(name);
    }
  }
  for (const fs::path& name : names) {
    if (!failed) fs::rename(from / name, to / name, failed);
  }
  if (failed) {
    return Error{"cannot move the files of version 1 to " + to.string() + ": " + failed.message()};
  }
  if (const Status synced = sync_folder(to); !synced) return synced;
  return sync_folder(from);
}

class Version1 {
 public:
  static Result<std::unique_ptr<Version1>> open(const fs::path& folder, bool repair,
                                                const Say& say) {
    auto it = std::make_unique<Version1>();
    const Result<bool> torn = has_torn_tail(folder, repair, say);
    if (!torn) return torn.error();
    rocksdb::DBOptions options;
    options.wal_recovery_mode = *torn ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
                                      : rocksdb::WALRecoveryMode::kAbsoluteConsistency;
    // By default it would write its diary into the folder, which stays as it is.
    options.info_log = std::make_shared<Silence>();
    const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
        {rocksdb::kDefaultColumnFamilyName, {}}, {"log", {}}, {"checkpoint", {}}};
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    const rocksdb::Status opened =
        rocksdb::DB::OpenForReadOnly(options, folder.string(), families, &handles, &db);
    if (!opened.ok()) return Error{"cannot read " + folder.string() + ": " + opened.ToString()};
    it->db_.reset(db);
    for (rocksdb::ColumnFamilyHandle* handle : handles) it->families_.emplace_back(handle);
    std::string format;
    const rocksdb::Status known = db->Get({}, it->meta(), "format", &format);
    // A first start that ended before it had written anything leaves no format.
    if (!known.IsNotFound() && (!known.ok() || format != kVersion1)) {
      return Error{folder.string() + " is not of version 1: " +
                   (known.ok() ? "its format is '" + format + "'" : known.ToString())};
    }
    std::string newest;
    const rocksdb::Status got = db->Get({}, it->meta(), "checkpoint", &newest);
    if (!got.ok() && !got.IsNotFound()) {
      return Error{"cannot read " + folder.string() + ": " + got.ToString()};
    }
    if (got.ok()) it->checkpoint_ = number_of(newest);
    return it;
  }

  std::uint64_t checkpoint() const { return checkpoint_; }

  Status write_checkpoint(const DataFolder& folder) const {
    Result<CheckpointFile> file =
        CheckpointFile::create(folder.checkpoint(checkpoint_), checkpoint_);
    if (!file) return file.error();
    const std::string prefix = version_1_key(checkpoint_);
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, families_[2].get()));
    for (at->Seek(prefix); at->Valid() && text_of(at->key()).starts_with(prefix); at->Next()) {
      const auto piece = static_cast<std::uint32_t>(number_of(text_of(at->key()).substr(8)));
      const Status put = file->put({piece, checkpoint_, text_of(at->value())});
      if (!put) return put;
    }
    if (!at->status().ok()) {
      return Error{"the checkpoint of version 1 is damaged: " + at->status().ToString()};
    }
    return file->commit();
  }

  // As if there had been none: the log may have everything.
  void forget_checkpoint() { checkpoint_ = 0; }

  // Returns the number of the last group. `repair`: what comes before damage is enough.
  Result<std::uint64_t> write_log(const DataFolder& folder, bool repair, const Say& say) const {
    LogWriter writer;
    std::uint64_t last = checkpoint_;
    std::string damage;
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator({}, families_[1].get()));
    for (at->SeekToFirst(); at->Valid(); at->Next()) {
      const std::uint64_t sequence = number_of(text_of(at->key()));
      std::string number;
      put_word(number, sequence);
      ByteReader in(text_of(at->value()));
      const std::uint64_t checksum = in.word();
      const std::string_view group = in.take(in.remaining());
      if (writer.is_open() ? sequence != last + 1 : sequence > checkpoint_ + 1) {
        damage = "group " + std::to_string(last + 1) + " is missing; the next is " +
                 std::to_string(sequence);
      } else if (!in.ok() || checksum != crc32c({number, group})) {
        damage = "checksum mismatch in group " + std::to_string(sequence);
      }
      if (!damage.empty()) break;
      if (!writer.is_open()) {
        if (const Status made = writer.create(folder, sequence); !made) return made.error();
      }
      if (const FileFailure failure = writer.write(sequence, group)) {
        return failed_to("write", folder.log(sequence), failure);
      }
      last = sequence;
    }
    if (damage.empty() && !at->status().ok()) damage = at->status().ToString();
    if (!damage.empty()) {
      damage = "the log of version 1 is damaged: " + damage;
      if (!repair) return Error{damage + std::string(kWhatToDo)};
      if (last == 0) return Error{"nothing can be kept: " + damage + "; restore it from a copy"};
      say(Event::kRepair, "repair: kept everything up to group " + std::to_string(last) +
                              "; lost what follows: " + damage);
    }
    if (writer.is_open()) {
      if (const FileFailure failure = writer.sync()) {
        return failed_to("sync", folder.path(), failure);
      }
    }
    return last;
  }

 private:
  class Silence final : public rocksdb::Logger {
   public:
    using rocksdb::Logger::Logv;
    void Logv(const char*, va_list) override {}
  };

  rocksdb::ColumnFamilyHandle* meta() const { return families_[0].get(); }

  // Says what will be dropped; an error if something would be lost that someone was promised.
  static Result<bool> has_torn_tail(const fs::path& folder, bool repair, const Say& say) {
    std::vector<fs::path> files;
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
      if (entry.path().extension() == ".log") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    bool torn = false;
    for (const fs::path& path : files) {
      const Result<MappedFile> file = MappedFile::open(path);
      if (!file) return file.error();
      const WalScan scan = scan_wal(file->bytes());
      if (scan.health == WalHealth::kWhole) continue;
      const std::string place = path.string() + " at byte " + std::to_string(scan.offset) + ": ";
      if (scan.health == WalHealth::kDamaged || path != files.back()) {
        const std::string damage = "the log of version 1 is damaged: " + place + scan.what;
        if (!repair) return Error{damage + std::string(kWhatToDo)};
        say(Event::kRepair, "repair: keeping what comes before: " + damage);
        return true;
      }
      say(Event::kTornTail,
          "dropped a torn tail that was never acknowledged: " + place + scan.what);
      torn = true;
    }
    return torn;
  }

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<std::unique_ptr<rocksdb::ColumnFamilyHandle>> families_;
  std::uint64_t checkpoint_ = 0;
};

}  // namespace

bool is_version_1(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "CURRENT", failed) || fs::exists(folder / "version-1", failed);
}

Status upgrade_version_1(const DataFolder& folder, bool repair, const Say& say) {
  const fs::path old = folder.path() / "version-1";
  if (const Status moved = move_version_1(folder.path(), old); !moved) return moved;
  const Result<std::unique_ptr<Version1>> version_1 = Version1::open(old, repair, say);
  if (!version_1) return version_1.error();
  if ((*version_1)->checkpoint() > 0) {
    const Status written = (*version_1)->write_checkpoint(folder);
    if (!written && !repair) return Error{written.error().message + std::string(kWhatToDo)};
    if (!written) {
      say(Event::kRepair,
          "repair: " + written.error().message + "; making the state from the log alone");
      folder.remove_unpublished();
      (*version_1)->forget_checkpoint();
    }
  }
  const Result<std::uint64_t> last = (*version_1)->write_log(folder, repair, say);
  if (!last) return last.error();
  if (const Status marked = Mark::create(folder.mark(), *last); !marked) return marked;
  say(Event::kFolderUpgraded, "upgraded the data folder from version 1 to 2, " +
                                  std::to_string(*last) + " groups; what it held before is in " +
                                  old.string() + " until you delete it");
  return {};
}

}  // namespace futurerand
