#include "futurerand/collector/log/backup.hpp"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "futurerand/collector/log/checkpoint_file.hpp"
#include "futurerand/collector/log/crc32c.hpp"
#include "futurerand/collector/log/data_folder.hpp"
#include "futurerand/collector/log/log_file.hpp"
#include "futurerand/collector/log/mark.hpp"

namespace futurerand {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBackupFormat = "futurerand backup 1";
constexpr std::size_t kCopyBytes = 1 << 20;
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

// The bytes that it has by now, durable.
Status copy_bytes(const fs::path& from, const fs::path& to) {
  std::ifstream in(from, std::ios::binary);
  if (!in) return Error{"cannot read " + from.string()};
  Result<File> out = File::create(to);
  if (!out) return out.error();
  std::string chunk(kCopyBytes, '\0');
  for (std::uint64_t offset = 0;;) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    const auto got = static_cast<std::size_t>(in.gcount());
    if (in.bad()) return Error{"cannot read " + from.string()};
    if (got == 0) break;
    if (const FileFailure failure = out->write(offset, std::string_view(chunk).substr(0, got))) {
      return failed_to("write", to, failure);
    }
    offset += got;
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
    bool found = files->checkpoints.empty();
    for (auto at = files->checkpoints.rbegin(); !found && at != files->checkpoints.rend(); ++at) {
      found = copy_checkpoint(*at);
    }
    if (!found) return false;
    return copy_logs(files->logs);
  }

  std::uint64_t last() const { return last_; }
  const std::string& problem() const { return problem_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  bool copy(const fs::path& name) {
    const Status copied = copy_bytes(data_ / name, to_ / name);
    if (!copied) problem_ = copied.error().message;
    return static_cast<bool>(copied);
  }

  bool copy_checkpoint(std::uint64_t sequence) {
    const fs::path name = checkpoint_name(sequence);
    if (!copy(name)) return false;
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
    last_ = sequence;
    names_.push_back(name.string());
    return true;
  }

  // All groups after the checkpoint that the files have.
  Result<bool> copy_logs(const std::vector<std::uint64_t>& logs) {
    problem_.clear();
    for (std::size_t at = 0; at < logs.size(); ++at) {
      const bool is_last = at + 1 == logs.size();
      if (!is_last && logs[at + 1] <= last_ + 1) continue;  // all of it is older
      const fs::path name = log_name(logs[at]);
      if (logs[at] > last_ + 1) {
        problem_ = "the groups before " + (data_ / name).string() + " are missing";
        return false;
      }
      if (!copy(name)) return false;
      const Result<std::uint64_t> end = keep_whole_groups(to_ / name, logs[at]);
      if (!end) return end.error();
      if (!problem_.empty()) return false;
      names_.push_back(name.string());
      if (*end > last_) last_ = *end;
      if (!is_last && last_ + 1 < logs[at + 1]) {
        problem_ = (data_ / name).string() + " is damaged after group " + std::to_string(last_);
        return false;
      }
    }
    return true;
  }

  // Cuts off what was not whole yet when it was read. Returns the number of the last group.
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
  if (const Status marked = Mark::create(to / "mark", summary.last_group); !marked) return marked;
  names.push_back("mark");
  std::string list = std::string(kBackupFormat) + "\ngroup " + std::to_string(summary.last_group);
  for (const std::string& name : names) {
    const Result<std::string> entry = entry_of(to, name, summary);
    if (!entry) return entry.error();
    list += "\n" + *entry;
  }
  if (const Status listed = write_durably(to / "BACKUP", list + "\n"); !listed) return listed;
  return write_durably(to / "FORMAT", folder_format());
}

// The names of a backup's files and what was written of each.
Result<std::vector<std::string>> read_list(const fs::path& from) {
  const Result<MappedFile> file = MappedFile::open(from / "BACKUP");
  const Result<MappedFile> format = MappedFile::open(from / "FORMAT");
  if (!file || !format) {
    return Error{from.string() +
                 " is no backup, or one that did not get to its end: it needs BACKUP and FORMAT"};
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
  return name == "mark" || (name.find('/') == name.npos &&
                            (name.starts_with("log-") || name.starts_with("checkpoint-")));
}

}  // namespace

Result<BackupSummary> back_up(const fs::path& data, const fs::path& to) {
  const Result<MappedFile> format = MappedFile::open(data / "FORMAT");
  if (!format) {
    return Error{data.string() + " is no data folder of a collector: " + format.error().message};
  }
  if (const Status known = check_folder_format(data, format->bytes()); !known) return known.error();
  const Result<MappedFile> mark = MappedFile::open(data / "mark");
  if (!mark) return mark.error();
  const std::uint64_t least = read_mark(mark->bytes()).value_or(0);
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
    problem = *copied ? "the log ends with group " + std::to_string(copying.last()) +
                            ", but group " + std::to_string(least) + " was acknowledged"
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
    if (const Status copied = copy_bytes(from / name, data / name); !copied) return copied.error();
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
