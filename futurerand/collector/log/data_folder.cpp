#include "futurerand/collector/log/data_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <fcntl.h>
#include <sys/statvfs.h>

#include "futurerand/collector/log/mark.hpp"
#include "futurerand/collector/log/version_1.hpp"

namespace futurerand {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersionLine = "futurerand collector 2\n";
constexpr std::size_t kDigits = 20;

// Of the process that holds it: an open file description's, so that closing another descriptor of
// this file does not give it away. RocksDB's own lock on the same file excludes it too.
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

Result<DataFolder> DataFolder::open(const fs::path& path, const SayLine& say) {
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
  } else if (is_version_1(path)) {
    ready = upgrade_version_1(folder, say);
    if (ready) ready = write_durably(path / "FORMAT", kVersionLine);
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

Status DataFolder::check_version() const {
  const Result<MappedFile> format = MappedFile::open(path_ / "FORMAT");
  if (!format) return format.error();
  if (format->bytes() == kVersionLine) return {};
  std::string line(
      format->bytes().substr(0, std::min<std::size_t>(80, format->bytes().find('\n'))));
  for (char& byte : line) byte = byte >= ' ' && byte <= '~' ? byte : '?';
  return Error{"the data folder " + path_.string() + " is of an unknown version: its FORMAT is '" +
               line + "'; expected '" +
               std::string(kVersionLine.substr(0, kVersionLine.size() - 1)) +
               "' (a newer futurerand may have made it)"};
}

bool DataFolder::is_unborn() const {
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, failed)) {
    const std::string name = entry.path().filename().string();
    if (name == "LOCK" || name == "lost+found" || name.ends_with(".new")) continue;
    const Result<MappedFile> file =
        entry.is_regular_file(failed) ? MappedFile::open(entry.path()) : Error{"not a file"};
    if (!file) return false;
    if (name == "mark" && read_mark(file->bytes()).value_or(0) == 0) continue;
    return false;
  }
  return !failed;
}

// FORMAT comes last: without it nobody was promised anything.
Status DataFolder::make() const {
  if (const Status marked = Mark::create(mark(), 0); !marked) return marked;
  return write_durably(path_ / "FORMAT", kVersionLine);
}

fs::path DataFolder::log(std::uint64_t first) const {
  const std::string digits = std::to_string(first);
  return path_ / ("log-" + std::string(kDigits - digits.size(), '0') + digits);
}

fs::path DataFolder::checkpoint(std::uint64_t sequence) const {
  const std::string digits = std::to_string(sequence);
  return path_ / ("checkpoint-" + std::string(kDigits - digits.size(), '0') + digits);
}

std::vector<std::uint64_t> DataFolder::numbered(std::string_view prefix) const {
  std::vector<std::uint64_t> numbers;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + kDigits) continue;
    std::uint64_t number = 0;
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + prefix.size(), end, number);
    if (read.ec == std::errc() && read.ptr == end) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void DataFolder::remove_unpublished() const {
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, failed)) {
    if (entry.path().extension() == ".new") fs::remove(entry.path(), failed);
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
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, failed)) {
    if (!entry.is_regular_file(failed) || entry.path().filename() == "LOCK") continue;
    if (!failed) fs::copy_file(entry.path(), unfinished / entry.path().filename(), failed);
    if (failed) break;
  }
  if (failed) {
    return Error{"cannot copy the data folder before repairing it (into " + unfinished.string() +
                 "): " + failed.message()};
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
