#include "futurerand/collector/log/data_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include <fcntl.h>
#include <sys/statvfs.h>

#include "futurerand/collector/log/high_water_mark.hpp"

namespace futurerand {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersionLine = "futurerand collector 1\n";
// Names a version able to read the folder, for older versions.
constexpr std::string_view kNeeds = "needs futurerand ";
constexpr std::string_view kNeededVersion = "0.3.0";
constexpr std::size_t kDigits = 20;
constexpr std::string_view kLogPrefix = "log-";
constexpr std::string_view kCheckpointPrefix = "checkpoint-";

std::string numbered_name(std::string_view prefix, std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(prefix) + std::string(kDigits - digits.size(), '0') + digits;
}

std::optional<std::uint64_t> number_in(const std::string& name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() != prefix.size() + kDigits) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + prefix.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// An error of the kernel is not the end of the folder.
Result<std::vector<fs::path>> names_in(const fs::path& folder) {
  std::vector<fs::path> names;
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  while (!failed && entry != fs::directory_iterator()) {
    names.push_back(entry->path());
    entry.increment(failed);
  }
  if (failed) return Error{"cannot list " + folder.string() + ": " + failed.message()};
  return names;
}

// The lock belongs to an open file description. Closing another descriptor of this file does not
// release it.
Result<File> lock_folder(const fs::path& folder) {
  Result<File> lock = File::open(folder / "LOCK");
  if (!lock) return lock.error();
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (fcntl(lock->descriptor(), F_OFD_SETLK, &whole) != 0) {
    if (errno == EAGAIN || errno == EACCES) {
      return Error{"the data folder " + folder.string() + " is used by another process"};
    }
    return failed_to("lock", folder / "LOCK", {errno});
  }
  return lock;
}

}  // namespace

DataFolder::DataFolder(fs::path path, File lock) : path_(std::move(path)), lock_(std::move(lock)) {}

Result<DataFolder> DataFolder::open(const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) {
    return Error{"cannot create the data folder " + path.string() + ": " + failed.message()};
  }
  Result<File> lock = lock_folder(path);
  if (!lock) return lock.error();
  DataFolder folder(path, *std::move(lock));
  const bool made = fs::exists(path / "FORMAT", failed);
  Status ready;
  if (made) {
    ready = folder.check_version();
  } else if (folder.is_unborn()) {
    ready = folder.make();
  } else {
    ready = Error{"the data folder " + path.string() +
                  " is not empty and has no file FORMAT: expected an empty folder or one that a "
                  "collector made; if FORMAT was lost, restore it from a copy"};
  }
  if (!ready) return ready.error();
  return folder;
}

std::string folder_format() {
  return std::string(kVersionLine) + std::string(kNeeds) + std::string(kNeededVersion) + "\n";
}

Status check_folder_format(const fs::path& folder, std::string_view format) {
  if (format.starts_with(kVersionLine)) return {};
  const auto printable = [](std::string_view text) {
    std::string line(text.substr(0, std::min<std::size_t>(80, text.find('\n'))));
    for (char& byte : line) byte = byte >= ' ' && byte <= '~' ? byte : '?';
    return line;
  };
  std::string who = "a newer futurerand may have made it";
  const std::size_t second = format.find('\n');
  if (second != format.npos && format.substr(second + 1).starts_with(kNeeds)) {
    who = "futurerand " + printable(format.substr(second + 1 + kNeeds.size())) +
          " and later can read it";
  }
  return Error{"the data folder " + folder.string() + " is of an unknown version: its FORMAT is '" +
               printable(format) + "'; expected '" + printable(kVersionLine) + "' (" + who + ")"};
}

Status DataFolder::check_version() const {
  const Result<MappedFile> format = MappedFile::open(path_ / "FORMAT");
  if (!format) return format.error();
  return check_folder_format(path_, format->bytes());
}

bool DataFolder::is_unborn() const {
  std::error_code failed;
  const Result<std::vector<fs::path>> names = names_in(path_);
  if (!names) return false;
  for (const fs::path& path : *names) {
    const std::string name = path.filename().string();
    if (name == "LOCK" || name == "lost+found" || name.ends_with(".new")) continue;
    const Result<MappedFile> file =
        fs::is_regular_file(path, failed) ? MappedFile::open(path) : Error{"not a file"};
    if (!file) return false;
    if (name == "high_water_mark" && read_high_water_mark(file->bytes()).value_or(0) == 0) continue;
    return false;
  }
  return true;
}

// FORMAT comes last: without it nobody was promised anything.
Status DataFolder::make() const {
  if (const Status marked = HighWaterMark::create(high_water_mark(), 0); !marked) return marked;
  return write_durably(path_ / "FORMAT", folder_format());
}

std::string log_name(std::uint64_t first) { return numbered_name(kLogPrefix, first); }
std::string checkpoint_name(std::uint64_t sequence) {
  return numbered_name(kCheckpointPrefix, sequence);
}

Result<FolderFiles> list_folder(const fs::path& folder) {
  FolderFiles files;
  const Result<std::vector<fs::path>> names = names_in(folder);
  if (!names) return names.error();
  for (const fs::path& path : *names) {
    const std::string name = path.filename().string();
    if (const auto first = number_in(name, kLogPrefix)) files.logs.push_back(*first);
    if (const auto after = number_in(name, kCheckpointPrefix)) files.checkpoints.push_back(*after);
  }
  std::sort(files.logs.begin(), files.logs.end());
  std::sort(files.checkpoints.begin(), files.checkpoints.end());
  return files;
}

void DataFolder::remove_unpublished() const {
  const Result<std::vector<fs::path>> names = names_in(path_);
  std::error_code failed;
  for (const fs::path& path : names ? *names : std::vector<fs::path>{}) {
    if (path.extension() == ".new") fs::remove(path, failed);
  }
}

Result<std::string> DataFolder::copy_before_repair() const {
  std::error_code failed;
  std::string name;
  for (int number = 1; name.empty() || fs::exists(path_ / name, failed); ++number) {
    name = "before-repair-" + std::to_string(number);
  }
  const fs::path unfinished = unpublished(path_ / name);
  fs::remove_all(unfinished, failed);
  fs::create_directory(unfinished, failed);
  const Result<std::vector<fs::path>> names = names_in(path_);
  Status copied = names ? Status() : Status(names.error());
  if (failed) copied = Error{failed.message()};
  for (std::size_t at = 0; copied && at < names->size(); ++at) {
    const fs::path& path = (*names)[at];
    if (!fs::is_regular_file(path, failed) || path.filename() == "LOCK") continue;
    copied = copy_durably(path, unfinished / path.filename());
  }
  // All of it is on the disk before anything is cut.
  if (copied) copied = sync_folder(unfinished);
  if (!copied) {
    return Error{"cannot copy the data folder before repairing it (into " + unfinished.string() +
                 "): " + copied.error().message};
  }
  if (const Status published = publish(path_ / name); !published) return published.error();
  return name;
}

std::uint64_t DataFolder::free_bytes() const {
  struct statvfs status {};
  if (statvfs(path_.c_str(), &status) != 0) return 0;
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

}  // namespace futurerand
