#include "futurerand/collector/log/rocks_store.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include "futurerand/collector/log/bytes.hpp"
#include "futurerand/collector/log/crc32c.hpp"
#include "futurerand/collector/log/wal_scan.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kFormat = "futurerand collector 1";
constexpr std::size_t kLogBuffer = std::size_t{64} << 20;

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// Big-endian, so that RocksDB's order is the order of numbers.
std::string key_of(std::uint64_t sequence) {
  std::string key(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) key[i] = static_cast<char>(sequence >> (56 - 8 * i));
  return key;
}

std::uint64_t sequence_of(std::string_view key) {
  std::uint64_t sequence = 0;
  for (const char byte : key.substr(0, 8)) {
    sequence = sequence << 8 | static_cast<std::uint8_t>(byte);
  }
  return sequence;
}

std::string piece_key(std::uint64_t sequence, std::uint32_t piece) {
  return key_of(sequence) + key_of(piece);
}

// The number is covered too: a group that turns up under another number is damage.
std::uint64_t checksum_of(std::uint64_t sequence, std::string_view group) {
  std::string number;
  put_word(number, sequence);
  return crc32c({number, group});
}

// Whether a write or a sync failed decides if the process may go on: after a failed sync nobody
// knows what the disk holds, and asking again answers for other pages.
class SyncWatch final : public rocksdb::EventListener {
 public:
  explicit SyncWatch(std::atomic<bool>& failed) : failed_(failed) {}
  bool ShouldBeNotifiedOnFileIO() override { return true; }
  void OnIOError(const rocksdb::IOErrorInfo& info) override {
    using rocksdb::FileOperationType;
    if (info.operation == FileOperationType::kSync || info.operation == FileOperationType::kFsync ||
        info.operation == FileOperationType::kRangeSync) {
      failed_ = true;
    }
  }

 private:
  std::atomic<bool>& failed_;
};

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.good() && !file.eof()) return Error{"cannot read " + path.string()};
  return bytes;
}

}  // namespace

struct RocksStore::Database {
  std::unique_ptr<rocksdb::DB> db;
  std::unique_ptr<rocksdb::ColumnFamilyHandle> meta;
  std::unique_ptr<rocksdb::ColumnFamilyHandle> log;
  std::unique_ptr<rocksdb::ColumnFamilyHandle> checkpoint;
  std::uint64_t newest = 0;
};

RocksStore::RocksStore(const RocksOptions& options) : options_(options) {}
RocksStore::~RocksStore() = default;

Result<std::unique_ptr<RocksStore>> RocksStore::open(const RocksOptions& options) {
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  if (failed) {
    return Error{"cannot create the data folder " + options.folder.string() + ": " +
                 failed.message()};
  }
  std::unique_ptr<RocksStore> store(new RocksStore(options));
  if (const Status opened = store->open_database(); !opened) return opened.error();
  return store;
}

// Says what will be dropped; an error if something would be lost that someone was promised.
Result<bool> RocksStore::check_wals() const {
  bool dropping = false;
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(options_.folder, failed)) {
    if (entry.path().extension() == ".log") files.push_back(entry.path());
  }
  if (failed) {
    return Error{"cannot read the data folder " + options_.folder.string() + ": " +
                 failed.message()};
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& path : files) {
    const Result<std::string> bytes = read_file(path);
    if (!bytes) return bytes.error();
    const WalScan scan = scan_wal(*bytes);
    if (scan.health == WalHealth::kWhole) continue;
    const std::string place = path.string() + " at byte " + std::to_string(scan.offset) + " of " +
                              std::to_string(bytes->size());
    // Appends are synced before the next file begins, so only the last one can end in a crash.
    if (scan.health == WalHealth::kTornTail && path == files.back()) {
      options_.say("dropped a torn tail that was never acknowledged: " + place + ": " + scan.what);
    } else if (options_.repair) {
      options_.say("repair: dropped what follows damage: " + place + ": " + scan.what);
    } else {
      return Error{"the log is damaged: " + place + ": " + scan.what +
                   "; restore the folder from a copy, or start with --repair to keep only what "
                   "comes before"};
    }
    dropping = true;
  }
  return dropping;
}

Status RocksStore::open_database() {
  database_.reset();
  const Result<bool> dropping = check_wals();
  if (!dropping) return dropping.error();
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  // What may be dropped was decided above; by default RocksDB would drop anything, silently.
  options.wal_recovery_mode = *dropping ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
                                        : rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  options.track_and_verify_wals_in_manifest = !options_.repair;
  options.max_total_wal_size = 2 * kLogBuffer;
  options.max_background_jobs = 2;
  options.max_bgerror_resume_count = 0;  // recover() reopens: one way back, the one that starts use
  options.keep_log_file_num = 4;
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  options.listeners = {std::make_shared<SyncWatch>(sync_failed_)};
  if (options_.env != nullptr) options.env = options_.env;
  rocksdb::ColumnFamilyOptions family;
  family.compression = rocksdb::kNoCompression;  // coin flips and random ids do not compress
  family.write_buffer_size = kLogBuffer;
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions()},
      {"log", family},
      {"checkpoint", family}};

  auto database = std::make_unique<Database>();
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status opened =
      rocksdb::DB::Open(options, options_.folder.string(), families, &handles, &db);
  const std::string place = "the data folder " + options_.folder.string();
  if (opened.IsIOError() && opened.ToString().find("lock") != std::string::npos) {
    return Error{place + " is used by another process (" + opened.ToString() + ")"};
  }
  if (!opened.ok()) return Error{"cannot open " + place + ": " + opened.ToString()};
  database->db.reset(db);
  database->meta.reset(handles[0]);
  database->log.reset(handles[1]);
  database->checkpoint.reset(handles[2]);

  std::string format;
  const rocksdb::Status known = db->Get({}, database->meta.get(), "format", &format);
  if (known.IsNotFound()) {
    rocksdb::WriteOptions durable;
    durable.sync = true;
    const rocksdb::Status put = db->Put(durable, database->meta.get(), "format", slice(kFormat));
    if (!put.ok()) return Error{"cannot write to " + place + ": " + put.ToString()};
  } else if (!known.ok() || format != kFormat) {
    return Error{place + " is not one of this version: " +
                 (known.ok() ? "its format is '" + format + "'" : known.ToString())};
  }
  std::string newest;
  const rocksdb::Status got = db->Get({}, database->meta.get(), "checkpoint", &newest);
  if (got.ok()) {
    database->newest = sequence_of(newest);
  } else if (!got.IsNotFound()) {
    return Error{"cannot read " + place + ": " + got.ToString()};
  }
  database_ = std::move(database);
  return {};
}

AppendResult RocksStore::append(std::uint64_t sequence, std::string_view group) {
  if (database_ == nullptr) return {Appended::kNoRoom, "the log is closed"};
  std::string value;
  value.reserve(8 + group.size());
  put_word(value, checksum_of(sequence, group));
  value += group;
  rocksdb::WriteOptions durable;
  durable.sync = true;
  const rocksdb::Status put =
      database_->db->Put(durable, database_->log.get(), key_of(sequence), value);
  if (put.ok() && !sync_failed_) return {};
  if (sync_failed_) return {Appended::kFailed, "a sync failed: " + put.ToString()};
  return {put.IsNoSpace() ? Appended::kNoRoom : Appended::kFailed, put.ToString()};
}

Status RocksStore::recover() { return open_database(); }

Status RocksStore::replay(std::uint64_t after, const Log::Visit& visit) {
  rocksdb::ReadOptions options;
  options.readahead_size = std::size_t{4} << 20;
  options.fill_cache = false;
  std::uint64_t expected = after + 1;
  std::string damage;
  {
    const std::unique_ptr<rocksdb::Iterator> at(
        database_->db->NewIterator(options, database_->log.get()));
    for (at->Seek(key_of(expected)); at->Valid() && damage.empty(); at->Next()) {
      const std::uint64_t sequence = sequence_of(view(at->key()));
      ByteReader in(view(at->value()));
      const std::uint64_t checksum = in.word();
      const std::string_view group = in.take(in.remaining());
      if (sequence != expected) {
        damage = "group " + std::to_string(expected) + " is missing; the next is " +
                 std::to_string(sequence);
      } else if (!in.ok() || checksum != checksum_of(sequence, group)) {
        damage = "checksum mismatch in group " + std::to_string(sequence);
      } else if (const Status visited = visit(sequence, group); !visited) {
        damage = "group " + std::to_string(sequence) + ": " + visited.error().message;
      } else {
        ++expected;
      }
    }
    if (damage.empty() && !at->status().ok()) {
      damage = "after group " + std::to_string(expected - 1) + ": " + at->status().ToString();
    }
  }
  if (damage.empty()) return {};
  const std::string place = "the log in " + options_.folder.string() + " is damaged: " + damage;
  if (!options_.repair) return Error{place + "; --repair keeps only what comes before"};
  options_.say("repair: dropped what follows: " + place);
  rocksdb::WriteOptions durable;
  durable.sync = true;
  const rocksdb::Status cut = database_->db->DeleteRange(durable, database_->log.get(),
                                                         key_of(expected), key_of(UINT64_MAX));
  if (!cut.ok()) return Error{"repair failed: " + cut.ToString()};
  return {};
}

std::uint64_t RocksStore::newest() const { return database_->newest; }

Status RocksStore::put(std::uint64_t sequence, std::uint32_t piece, std::string_view bytes) {
  if (database_ == nullptr) return Error{"the log is closed"};
  rocksdb::WriteOptions unlogged;  // commit() flushes; until then nothing points here
  unlogged.disableWAL = true;
  const rocksdb::Status put = database_->db->Put(unlogged, database_->checkpoint.get(),
                                                 piece_key(sequence, piece), slice(bytes));
  if (!put.ok()) return Error{"cannot write a checkpoint: " + put.ToString()};
  return {};
}

Status RocksStore::commit(std::uint64_t sequence) {
  if (database_ == nullptr) return Error{"the log is closed"};
  rocksdb::DB& db = *database_->db;
  const auto failed = [](const rocksdb::Status& status) {
    return Error{"cannot write a checkpoint: " + status.ToString()};
  };
  if (const auto flushed = db.Flush({}, database_->checkpoint.get()); !flushed.ok()) {
    return failed(flushed);
  }
  rocksdb::WriteBatch batch;
  rocksdb::Status status = batch.Put(database_->meta.get(), "checkpoint", key_of(sequence));
  if (status.ok()) {
    status = batch.DeleteRange(database_->checkpoint.get(), key_of(0), key_of(sequence));
  }
  const std::string log_begin = key_of(0);
  const std::string log_end = key_of(sequence + 1);
  if (status.ok() && !options_.keep_log) {
    status = batch.DeleteRange(database_->log.get(), log_begin, log_end);
  }
  rocksdb::WriteOptions durable;
  durable.sync = true;
  if (status.ok()) status = db.Write(durable, &batch);
  if (!status.ok()) return failed(status);
  database_->newest = sequence;

  // From here on it is only about room and about a short next start.
  status = db.Flush({}, {database_->meta.get(), database_->log.get(), database_->checkpoint.get()});
  const std::string old_end = key_of(sequence);
  const rocksdb::Slice begin(log_begin), end(log_end), old(old_end);
  if (!options_.keep_log) {
    (void)rocksdb::DeleteFilesInRange(&db, database_->log.get(), &begin, &end, false);
  }
  (void)rocksdb::DeleteFilesInRange(&db, database_->checkpoint.get(), &begin, &old, false);
  if (!status.ok()) options_.say("after a checkpoint: " + status.ToString());
  return {};
}

Status RocksStore::read(const Checkpoints::Visit& visit) {
  rocksdb::ReadOptions options;
  options.readahead_size = std::size_t{4} << 20;
  options.fill_cache = false;
  const std::string begin = key_of(newest());
  const std::unique_ptr<rocksdb::Iterator> at(
      database_->db->NewIterator(options, database_->checkpoint.get()));
  for (at->Seek(begin); at->Valid() && view(at->key()).starts_with(begin); at->Next()) {
    const auto piece = static_cast<std::uint32_t>(sequence_of(view(at->key()).substr(8)));
    if (const Status visited = visit(piece, view(at->value())); !visited) return visited;
  }
  if (!at->status().ok()) {
    return Error{"cannot read the checkpoint in " + options_.folder.string() + ": " +
                 at->status().ToString()};
  }
  return {};
}

}  // namespace futurerand
