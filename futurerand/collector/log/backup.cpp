#include "futurerand/collector/log/backup.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "futurerand/collector/log/checkpoint_file.hpp"
#include "futurerand/collector/log/crc32c.hpp"
#include "futurerand/collector/log/data_folder.hpp"
#include "futurerand/collector/log/high_water_mark.hpp"
#include "futurerand/collector/log/log_file.hpp"

namespace futurerand {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBackupFormat = "futurerand backup 1";
constexpr std::size_t kCopyBytes = 256 << 10;
// For a running collector: the pause after each piece, as a multiple of the time of the piece, and
// the longest pause.
constexpr int kRests = 4;
constexpr std::chrono::milliseconds kMaxRest{100};
// While a collector rotates its files: each attempt takes the newest ones.
constexpr int kBackupAttempts = 20;
constexpr std::chrono::milliseconds kBackupPause{50};

Status require_empty(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return Error{"cannot create " + folder.string() + ": " + failed.message()};
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().filename() == "lost+found") continue;
    return Error{folder.string() + " is not empty; expected an empty folder, or none"};
  }
  if (failed) return Error{"cannot read " + folder.string() + ": " + failed.message()};
  return {};
}

// An open source file. It stays readable after the collector removes its name. Only its length at
// opening counts, because a log may grow faster than it is copied.
struct Source {
  fs::path name;
  std::ifstream in;
  std::uint64_t size = 0;

  static std::optional<Source> open(const fs::path& folder, const fs::path& name) {
    Source source{name, std::ifstream(folder / name, std::ios::binary | std::ios::ate)};
    if (!source.in) return std::nullopt;
    source.size = static_cast<std::uint64_t>(source.in.tellg());
    source.in.seekg(0);
    return source;
  }
};

// Copies the file durably, piece by piece. A collector on the same disk gets most of the disk's
// time. Each piece is small and written out at once, so no sync of the log waits for more than
// that. A pause of `rests` times its duration follows each piece.
Status copy_bytes(Source& from, const fs::path& to, int rests) {
  Result<File> out = File::create(to);
  if (!out) return out.error();
  std::string piece(kCopyBytes, '\0');
  for (std::uint64_t offset = 0; offset < from.size;) {
    const auto begin = std::chrono::steady_clock::now();
    const auto wanted = std::min<std::uint64_t>(piece.size(), from.size - offset);
    from.in.read(piece.data(), static_cast<std::streamsize>(wanted));
    const auto got = static_cast<std::size_t>(from.in.gcount());
    if (from.in.bad()) return Error{"cannot read " + from.name.string()};
    if (got == 0) break;
    FileFailure failure = out->write(offset, std::string_view(piece).substr(0, got));
    if (!failure && rests > 0) failure = out->write_out(offset, got);
    if (failure) return failed_to("write", to, failure);
    offset += got;
    if (rests == 0) continue;
    const std::chrono::steady_clock::duration took = std::chrono::steady_clock::now() - begin;
    std::this_thread::sleep_for(
        std::min<std::chrono::steady_clock::duration>(rests * took, kMaxRest));
  }
  if (const FileFailure failure = out->sync()) return failed_to("sync", to, failure);
  return {};
}

// One attempt to copy a folder that is in use.
class Copying {
 public:
  Copying(const fs::path& data, const fs::path& to) : data_(data), to_(to) {}

  // False: the collector was faster, and another attempt is to be made.
  Result<bool> run() {
    const Result<FolderFiles> files = list_folder(data_);
    if (!files) return files.error();
    if (files->checkpoints.empty()) return open_logs(files->logs) ? copy_logs() : false;
    for (auto at = files->checkpoints.rbegin(); at != files->checkpoints.rend(); ++at) {
      std::optional<Source> checkpoint = Source::open(data_, checkpoint_name(*at));
      last_ = *at;
      if (!checkpoint) problem_ = "cannot read " + (data_ / checkpoint_name(*at)).string();
      if (!checkpoint || !open_logs(files->logs)) continue;
      if (copy_checkpoint(*checkpoint, *at)) return copy_logs();
    }
    return false;
  }

  std::uint64_t last() const { return last_; }
  const std::string& problem() const { return problem_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  bool copy(Source& source) {
    const Status copied = copy_bytes(source, to_ / source.name, kRests);
    if (!copied) problem_ = copied.error().message;
    return static_cast<bool>(copied);
  }

  // Opens all files with commits after the checkpoint, before copying any. Copying takes a while.
  bool open_logs(const std::vector<std::uint64_t>& logs) {
    logs_.clear();
    for (std::size_t at = 0; at < logs.size(); ++at) {
      if (at + 1 < logs.size() && logs[at + 1] <= last_ + 1) continue;  // all of it is older
      std::optional<Source> log = Source::open(data_, log_name(logs[at]));
      if (!log) {
        problem_ = "cannot read " + (data_ / log_name(logs[at])).string();
        return false;
      }
      logs_.emplace_back(logs[at], *std::move(log));
    }
    return true;
  }

  bool copy_checkpoint(Source& source, std::uint64_t sequence) {
    const fs::path& name = source.name;
    if (!copy(source)) return false;
    const Result<MappedFile> file = MappedFile::open(to_ / name);
    const Status read = file ? read_checkpoint(file->bytes(), sequence,
                                               [](const CheckpointPiece&) { return Status(); })
                             : Status(file.error());
    if (!read) {
      problem_ = (data_ / name).string() + " is damaged: " + read.error().message;
      std::error_code ignored;
      fs::remove(to_ / name, ignored);
      return false;
    }
    names_.push_back(name.string());
    return true;
  }

  // All commits in the files after the checkpoint.
  Result<bool> copy_logs() {
    problem_.clear();
    for (std::size_t at = 0; at < logs_.size(); ++at) {
      auto& [first, log] = logs_[at];
      if (first > last_ + 1) {
        problem_ = "the groups before " + (data_ / log.name).string() + " are missing";
        return false;
      }
      if (!copy(log)) return false;
      const Result<std::uint64_t> end = keep_whole_groups(to_ / log.name, first);
      if (!end) return end.error();
      if (!problem_.empty()) return false;
      names_.push_back(log.name.string());
      if (*end > last_) last_ = *end;
      if (at + 1 < logs_.size() && last_ + 1 < logs_[at + 1].first) {
        problem_ =
            (data_ / log.name).string() + " is damaged after commit " + std::to_string(last_);
        return false;
      }
    }
    return true;
  }

  // Cuts off an incomplete record at the end. Returns the number of the last commit.
  Result<std::uint64_t> keep_whole_groups(const fs::path& path, std::uint64_t first) {
    std::uint64_t offset = 0;
    std::uint64_t last = first - 1;
    {
      const Result<MappedFile> file = MappedFile::open(path);
      if (!file) return file.error();
      const Result<LogFileHeader> header = read_log_file_header(file->bytes());
      if (!header || header->first != first) {
        problem_ = "the header of " + path.filename().string() + " cannot be read";
        return last;
      }
      LogScan scan(file->bytes(), *header);
      for (std::string_view group; scan.next(group);) last = scan.sequence();
      offset = scan.offset();
    }
    Result<File> file = File::open(path);
    if (!file) return file.error();
    FileFailure failure = file->truncate(offset);
    if (!failure) failure = file->sync();
    if (failure) return failed_to("cut", path, failure);
    return last;
  }

  const fs::path& data_;
  const fs::path& to_;
  std::uint64_t last_ = 0;
  std::vector<std::pair<std::uint64_t, Source>> logs_;  // with their first commits
  std::string problem_;
  std::vector<std::string> names_;
};

Result<std::string> entry_of(const fs::path& folder, const std::string& name,
                             BackupSummary& summary) {
  const Result<MappedFile> file = MappedFile::open(folder / name);
  if (!file) return file.error();
  summary.bytes += file->bytes().size();
  char hex[9] = {};
  std::snprintf(hex, sizeof hex, "%08x", crc32c({file->bytes()}));
  return "file " + name + " " + std::to_string(file->bytes().size()) + " " + hex;
}

// The list of the files as it is written; FORMAT comes last, and makes the backup count.
Status finish(const fs::path& to, std::vector<std::string> names, BackupSummary& summary) {
  if (const Status marked = HighWaterMark::create(to / "high_water_mark", summary.last_group);
      !marked)
    return marked;
  names.push_back("high_water_mark");
  std::string list = std::string(kBackupFormat) + "\ngroup " + std::to_string(summary.last_group);
  for (const std::string& name : names) {
    const Result<std::string> entry = entry_of(to, name, summary);
    if (!entry) return entry.error();
    list += "\n" + *entry;
  }
  if (const Status listed = write_durably(to / "BACKUP", list + "\n"); !listed) return listed;
  return write_durably(to / "FORMAT", folder_format());
}

// The names of a backup's files, with their recorded sizes and checksums.
Result<std::vector<std::string>> read_list(const fs::path& from) {
  const Result<MappedFile> file = MappedFile::open(from / "BACKUP");
  const Result<MappedFile> format = MappedFile::open(from / "FORMAT");
  if (!file || !format) {
    return Error{from.string() +
                 " is no backup, or an incomplete one: it has no BACKUP or no FORMAT"};
  }
  if (const Status known = check_folder_format(from, format->bytes()); !known) return known.error();
  if (format->bytes() != folder_format()) {
    return Error{(from / "FORMAT").string() + " is damaged"};
  }
  std::istringstream lines{std::string(file->bytes())};
  std::string line;
  std::getline(lines, line);
  if (line != kBackupFormat) {
    return Error{from.string() + " is a backup of another version; expected '" +
                 std::string(kBackupFormat) +
                 "': the futurerand that made it, or a newer one, can restore it"};
  }
  std::vector<std::string> entries;
  while (std::getline(lines, line)) entries.push_back(line);
  if (entries.empty() || !entries[0].starts_with("group ")) {
    return Error{(from / "BACKUP").string() + " is damaged"};
  }
  return entries;
}

bool is_backup_name(std::string_view name) {
  return name == "high_water_mark" ||
         (name.find('/') == name.npos &&
          (name.starts_with("log-") || name.starts_with("checkpoint-")));
}

}  // namespace

Result<BackupSummary> back_up(const fs::path& data, const fs::path& to) {
  const Result<MappedFile> format = MappedFile::open(data / "FORMAT");
  if (!format) {
    return Error{data.string() + " is no data folder of a collector: " + format.error().message};
  }
  if (const Status known = check_folder_format(data, format->bytes()); !known) return known.error();
  const Result<MappedFile> mark = MappedFile::open(data / "high_water_mark");
  if (!mark) return mark.error();
  const std::uint64_t least = read_high_water_mark(mark->bytes()).value_or(0);
  if (const Status empty = require_empty(to); !empty) return empty.error();

  std::string problem;
  for (int attempt = 0; attempt < kBackupAttempts; ++attempt) {
    Copying copying(data, to);
    const Result<bool> copied = copying.run();
    if (!copied) return copied.error();
    if (*copied && copying.last() >= least) {
      BackupSummary summary{copying.last(), 0};
      const Status finished = finish(to, copying.names(), summary);
      if (!finished) return finished.error();
      return summary;
    }
    problem = *copied ? "the log ends with commit " + std::to_string(copying.last()) +
                            ", but commit " + std::to_string(least) + " was acknowledged"
                      : copying.problem();
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(to, ignored)) {
      if (entry.is_regular_file(ignored)) fs::remove(entry.path(), ignored);
    }
    std::this_thread::sleep_for(kBackupPause);
  }
  return Error{"no backup of " + data.string() + ": " + problem};
}

Result<BackupSummary> restore_backup(const fs::path& from, const fs::path& data) {
  const Result<std::vector<std::string>> entries = read_list(from);
  if (!entries) return entries.error();
  if (const Status empty = require_empty(data); !empty) return empty.error();
  BackupSummary summary;
  const std::string& group = entries->front();
  std::from_chars(group.data() + 6, group.data() + group.size(), summary.last_group);
  for (std::size_t at = 1; at < entries->size(); ++at) {
    const std::string& entry = (*entries)[at];
    const std::size_t end = entry.find(' ', 5);
    const std::string name = end == entry.npos ? "" : entry.substr(5, end - 5);
    if (!entry.starts_with("file ") || !is_backup_name(name)) {
      return Error{(from / "BACKUP").string() + " is damaged"};
    }
    std::optional<Source> file = Source::open(from, name);
    if (!file) return Error{"cannot read " + (from / name).string()};
    if (const Status copied = copy_bytes(*file, data / name, 0); !copied) return copied.error();
    const Result<std::string> got = entry_of(data, name, summary);
    if (!got) return got.error();
    if (*got != entry) {
      return Error{(from / name).string() + " is damaged: it is '" + *got + "', but '" + entry +
                   "' was written"};
    }
  }
  const Result<MappedFile> format = MappedFile::open(from / "FORMAT");
  if (!format) return format.error();
  if (const Status made = write_durably(data / "FORMAT", format->bytes()); !made) {
    return made.error();
  }
  return summary;
}

}  // namespace futurerand
