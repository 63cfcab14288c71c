#include "futurerand/collector/log/file_store.hpp"

#include <algorithm>

#include <sys/stat.h>

#include "futurerand/collector/log/log_file.hpp"

namespace futurerand {
namespace {

namespace fs = std::filesystem;

// How often the mark follows the log while commits are written.
constexpr std::chrono::seconds kMarkInterval{1};
constexpr std::uint64_t kRoomToGoOn = 64 << 10;

std::string groups_text(std::uint64_t first, std::uint64_t last) {
  if (first == last) return "commit " + std::to_string(first);
  return "commits " + std::to_string(first) + " to " + std::to_string(last);
}

std::int64_t time_of(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mtime : 0;
}

}  // namespace

FileStore::FileStore(const StoreOptions& options, DataFolder folder)
    : options_(options), folder_(std::move(folder)) {}

FileStore::~FileStore() {
  // Lets the next start detect any later loss. If this fails, nothing more can be done.
  if (writer_.is_open()) (void)set_high_water_mark();
}

Result<std::unique_ptr<FileStore>> FileStore::open(const StoreOptions& options) {
  Result<DataFolder> folder = DataFolder::open(options.folder);
  if (!folder) return folder.error();
  std::unique_ptr<FileStore> store(new FileStore(options, *std::move(folder)));
  store->folder_.remove_unpublished();
  if (options.repair) {
    const Result<std::string> copy = store->folder_.copy_before_repair();
    if (!copy) return copy.error();
    store->repair_copy_ = *copy;
    options.say(Event::kRepair, "repair: " + (options.folder / *copy).string() +
                                    " has a copy of the damaged folder");
  }
  if (const Status opened = store->open_mark(); !opened) return opened.error();
  const Result<FolderFiles> files = store->folder_.files();
  if (!files) return files.error();
  if (!files->checkpoints.empty()) {
    store->checkpoint_time_ = time_of(store->folder_.checkpoint(files->checkpoints.back()));
  }
  return store;
}

Status FileStore::open_mark() {
  std::error_code failed;
  Result<HighWaterMark> mark =
      fs::exists(folder_.high_water_mark(), failed)
          ? HighWaterMark::open(folder_.high_water_mark())
          : Result<HighWaterMark>(Error{folder_.high_water_mark().string() + " is missing"});
  if (!mark && options_.repair) {
    options_.say(Event::kRepair,
                 "repair: " + mark.error().message + "; the end of the log is unknown");
    if (const Status made = HighWaterMark::create(folder_.high_water_mark(), 0); !made) return made;
    mark = HighWaterMark::open(folder_.high_water_mark());
  }
  if (!mark) {
    return Error{mark.error().message + "; restore the folder from a copy, or start with --repair"};
  }
  high_water_mark_ = *std::move(mark);
  return {};
}

Status FileStore::replay(std::uint64_t after, const Log::Visit& visit) {
  if (writer_.is_open()) return {};  // it knows its own end
  const Result<FolderFiles> files = folder_.files();
  if (!files) return files.error();
  const std::vector<std::uint64_t>& logs = files->logs;
  if (unlisted_) return Error{"cannot list the checkpoints in " + folder_.path().string()};
  Result<End> end = read_logs(logs, after, visit);
  if (!end) return end.error();
  // The log goes on in a file of its own before a checkpoint gets its name.
  if (end->damage.empty() && !files->checkpoints.empty()) {
    const std::uint64_t next = files->checkpoints.back() + 1;
    if (!std::binary_search(logs.begin(), logs.end(), next)) {
      end->damage = folder_.log(next).string() + " is missing, and " +
                    folder_.checkpoint(next - 1).string() + " was made after it";
      end->torn.clear();
    }
  }
  if (!end->damage.empty() && !options_.repair) {
    return Error{"the log is damaged: " + end->damage +
                 "; restore the folder from a copy, or start with --repair to keep only what "
                 "comes before"};
  }
  if (!end->damage.empty() && end->last == 0) {
    return Error{
        "nothing can be kept: no checkpoint can be read, and the log does not reach back to "
        "its beginning: " +
        end->damage + "; restore the folder from a copy"};
  }
  if (!end->torn.empty()) {
    options_.say(Event::kTornTail,
                 "cut off a torn tail without a known acknowledgement: " + end->torn);
  }
  last_ = end->last;
  if (options_.repair) {
    if (const Status repaired = repair(*files, *end); !repaired) return repaired;
  }
  // Comes before any other write. From here on this file stays complete.
  if (end->open_end) {
    return writer_.resume(folder_, logs[end->file], end->salt, end->offset);
  }
  return writer_.create(folder_, last_ + 1);
}

Result<FileStore::End> FileStore::read_logs(const std::vector<std::uint64_t>& logs,
                                            std::uint64_t after, const Log::Visit& visit) const {
  End end{.last = after, .file = logs.size()};
  std::string place = folder_.path().string() + " has no file of the log";
  for (std::size_t at = 0; at < logs.size() && end.damage.empty(); ++at) {
    const bool is_last = at + 1 == logs.size();
    if (!is_last && logs[at + 1] <= end.last + 1) continue;  // all of it is older
    const fs::path path = folder_.log(logs[at]);
    const Result<MappedFile> file = MappedFile::open(path, true);
    if (!file) return file.error();
    end.file = at;
    end.readable = end.open_end = false;
    end.offset = 0;
    const auto damage = [&](const std::string& what) {
      end.damage = path.string() + " at byte " + std::to_string(end.offset) + " of " +
                   std::to_string(file->bytes().size()) + ": " + what;
    };
    if (logs[at] > end.last + 1) {
      damage(groups_text(end.last + 1, logs[at] - 1) + " before it are missing");
      break;
    }
    const Result<LogFileHeader> header = read_log_file_header(file->bytes());
    if (!header || header->first != logs[at]) {
      damage("its header cannot be read");
      break;
    }
    end.readable = true;
    end.salt = header->salt;
    LogScan scan(file->bytes(), *header);
    end.offset = scan.offset();
    for (std::string_view group; end.damage.empty() && scan.next(group);) {
      if (scan.sequence() > end.last) {
        if (const Status visited = visit(scan.sequence(), group); !visited) {
          damage("commit " + std::to_string(scan.sequence()) + ": " + visited.error().message);
          break;
        }
        end.last = scan.sequence();
      }
      end.offset = scan.offset();
    }
    place = path.string() + " at byte " + std::to_string(end.offset) + " of " +
            std::to_string(file->bytes().size());
    // Commits go on in this file, unless a checkpoint is ahead of it.
    end.open_end = scan.offset() == end.offset ? scan.sequence() == end.last : true;
    if (!end.damage.empty()) break;
    if (!is_last && scan.sequence() + 1 < logs[at + 1]) {
      damage(groups_text(scan.sequence() + 1, logs[at + 1] - 1) + " cannot be read");
    } else if (scan.damaged()) {
      damage("an unreadable commit before readable ones");
    } else if (!scan.clean_end()) {
      end.torn = place;
    }
  }
  if (end.damage.empty() && high_water_mark_->sequence() > end.last) {
    end.damage = place + ": the log ends with commit " + std::to_string(end.last) +
                 ", but commit " + std::to_string(high_water_mark_->sequence()) +
                 " was acknowledged: a file is missing or cut";
  }
  if (!end.damage.empty()) end.torn.clear();
  return end;
}

Status FileStore::repair(const FolderFiles& files, const End& end) {
  const std::vector<std::uint64_t>& logs = files.logs;
  std::error_code failed;
  if (end.damage.empty() && unreadable_.empty() && high_water_mark_->sequence() > 0) {
    fs::remove_all(folder_.path() / repair_copy_, failed);
    options_.say(Event::kRepair, "repair: nothing is damaged; the copy is deleted again");
    return {};
  }
  std::string lost = "nothing";
  if (!end.damage.empty()) {
    lost = "what follows " + end.damage;
    if (high_water_mark_->sequence() > end.last) {
      lost = groups_text(end.last + 1, high_water_mark_->sequence()) + " and maybe more (" +
             end.damage + ")";
    }
    for (std::size_t at = end.file + (end.readable ? 1 : 0); at < logs.size(); ++at) {
      fs::remove(folder_.log(logs[at]), failed);
    }
  }
  for (const std::uint64_t sequence : files.checkpoints) {
    // The numbers after the damage are given again, to other commits.
    if (unreadable_.count(sequence) == 0 && sequence <= end.last) continue;
    fs::remove(folder_.checkpoint(sequence), failed);
    lost += ", checkpoint " + std::to_string(sequence);
  }
  options_.say(Event::kRepair, "repair: kept everything up to commit " + std::to_string(end.last) +
                                   "; lost " + lost);
  if (const Status made = HighWaterMark::create(folder_.high_water_mark(), end.last); !made)
    return made;
  Result<HighWaterMark> mark = HighWaterMark::open(folder_.high_water_mark());
  if (!mark) return mark.error();
  high_water_mark_ = *std::move(mark);
  return {};
}

AppendResult FileStore::append(std::uint64_t sequence, std::string_view group) {
  if (const FileFailure failure = writer_.write(sequence, group)) {
    if (const FileFailure uncut = writer_.cut()) {
      return {Appended::kFailed, "cutting off a failed commit: " + uncut.message()};
    }
    refused_bytes_ = log_record_bytes(group.size());
    return {failure.no_room() ? Appended::kNoRoom : Appended::kFailed, failure.message()};
  }
  if (const FileFailure failure = writer_.sync()) {
    return {Appended::kFailed, "a sync failed: " + failure.message()};
  }
  last_ = sequence;
  high_water_mark_->note(sequence);
  if (std::chrono::steady_clock::now() - marked_ >= kMarkInterval) rest();
  return {};
}

Status FileStore::recover() {
  FileFailure failure = writer_.reserve(refused_bytes_ + kRoomToGoOn);
  if (!failure) failure = writer_.sync();
  if (!failure) return {};
  if (const FileFailure uncut = writer_.cut()) failure = uncut;
  return Error{failure.message()};
}

void FileStore::rest() {
  if (const Status marked = set_high_water_mark(); !marked)
    options_.say(Event::kHighWaterMarkFailed, marked.error().message);
}

Status FileStore::set_high_water_mark() {
  marked_ = std::chrono::steady_clock::now();
  if (high_water_mark_->sequence() >= last_) return {};
  return high_water_mark_->set(last_);
}

std::vector<std::uint64_t> FileStore::sequences() const {
  Result<FolderFiles> files = folder_.files();
  if (!files) {
    unlisted_ = true;  // replay() says so
    return {};
  }
  std::vector<std::uint64_t> newest_first = std::move(files->checkpoints);
  std::reverse(newest_first.begin(), newest_first.end());
  return newest_first;
}

Status FileStore::read(std::uint64_t sequence, const VisitPiece& visit) {
  const fs::path path = folder_.checkpoint(sequence);
  const Result<MappedFile> file = MappedFile::open(path);
  const Status read = file ? read_checkpoint(file->bytes(), sequence, visit) : Status(file.error());
  if (read) return {};
  unreadable_.insert(sequence);
  return Error{path.string() + " is damaged: " + read.error().message};
}

Status FileStore::begin(std::uint64_t sequence) {
  checkpoint_.reset();
  folder_.remove_unpublished();  // a given-up checkpoint may hold data erased since
  // The log goes on in a file of its own, so that the old ones can be deleted whole.
  if (writer_.first() != sequence + 1) {
    if (const Status made = writer_.create(folder_, sequence + 1); !made) return made;
  }
  const fs::path path = folder_.checkpoint(sequence);
  Result<CheckpointFile> file = CheckpointFile::create(path, sequence);
  if (!file) return file.error();
  checkpoint_.emplace(*std::move(file), [this, path] {
    checkpoint_time_ = time_of(path);
    remove_old(2);
  });
  return {};
}

Status FileStore::put(const CheckpointPiece& piece) {
  const Status put = checkpoint_->put(piece);
  if (!put) give_up_checkpoint();
  return put;
}

Result<bool> FileStore::commit() {
  Result<bool> committed = checkpoint_->commit();
  if (!committed) give_up_checkpoint();
  if (committed && *committed) checkpoint_.reset();
  return committed;
}

// Frees the space of the unfinished checkpoint.
void FileStore::give_up_checkpoint() {
  checkpoint_.reset();
  folder_.remove_unpublished();
}

Status FileStore::forget_older() {
  remove_old(1);
  return sync_folder(folder_.path());
}

void FileStore::remove_old(std::size_t keep) const {
  std::error_code failed;
  std::vector<std::uint64_t> kept;
  for (const std::uint64_t sequence : sequences()) {
    if (kept.size() < keep && unreadable_.count(sequence) == 0) {
      kept.push_back(sequence);
    } else {
      fs::remove(folder_.checkpoint(sequence), failed);
    }
  }
  if (options_.keep_log || kept.size() < keep) return;
  const Result<FolderFiles> files = folder_.files();
  const std::vector<std::uint64_t> logs = files ? files->logs : std::vector<std::uint64_t>{};
  for (std::size_t at = 0; at + 1 < logs.size() && logs[at + 1] <= kept.back() + 1; ++at) {
    fs::remove(folder_.log(logs[at]), failed);
  }
}

}  // namespace futurerand
