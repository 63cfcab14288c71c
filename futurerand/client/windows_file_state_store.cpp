// FileStateStore on Windows.
#include <algorithm>
#include <array>
#include <utility>

#include <aclapi.h>
#include <sddl.h>
#include <windows.h>

#include "futurerand/client/file_state_store.hpp"

namespace futurerand {
namespace {

constexpr std::int64_t kMaxRecordBytes = std::int64_t{1} << 24;
// Opens the entry of this name itself, never the target of a link.
constexpr DWORD kNoLinks = FILE_FLAG_OPEN_REPARSE_POINT;

// Closes on every way out.
class Handle {
 public:
  explicit Handle(HANDLE handle = INVALID_HANDLE_VALUE) : handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }
  bool is_open() const { return handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const { return handle_; }
  void replace(HANDLE handle) {
    close();
    handle_ = handle;
  }
  bool close() {
    return !is_open() || CloseHandle(std::exchange(handle_, INVALID_HANDLE_VALUE)) != 0;
  }

 private:
  HANDLE handle_;
};

std::string last_error() { return "error " + std::to_string(GetLastError()) + " of Windows"; }

// Empty if it is not UTF-8.
std::wstring wide(std::string_view text) {
  const int size = static_cast<int>(text.size());
  const int length =
      MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), size, nullptr, 0);
  std::wstring result(static_cast<std::size_t>(std::max(0, length)), L'\0');
  MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), size, result.data(), length);
  return result;
}

std::string narrow(std::wstring_view text) {
  const int size = static_cast<int>(text.size());
  const int length =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string result(static_cast<std::size_t>(std::max(0, length)), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), size, result.data(), length, nullptr, nullptr);
  return result;
}

// A path from the root, in the form that may be long and in which no name is a device's. Another
// working directory does not change it. Empty on failure.
std::wstring whole_path(const std::string& folder) {
  const std::wstring given = wide(folder);
  if (given.empty()) SetLastError(ERROR_INVALID_NAME);
  if (given.empty() || given.find(L'\0') != given.npos) return {};
  std::wstring path(GetFullPathNameW(given.c_str(), 0, nullptr, nullptr), L'\0');
  const DWORD length =
      GetFullPathNameW(given.c_str(), static_cast<DWORD>(path.size()), path.data(), nullptr);
  if (length == 0 || length >= path.size()) return {};
  path.resize(length);
  while (path.ends_with(L'\\')) path.pop_back();
  if (path.starts_with(L"\\\\?\\")) return path;
  if (path.starts_with(L"\\\\")) return L"\\\\?\\UNC" + path.substr(1);
  return L"\\\\?\\" + path;
}

// Everything for the user of this process, and nothing for anybody else.
class OwnerOnly {
 public:
  OwnerOnly() {
    HANDLE token = nullptr;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return;
    alignas(TOKEN_USER) std::array<std::byte, sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE> user{};
    DWORD size = 0;
    wchar_t* sid = nullptr;
    if (GetTokenInformation(token, TokenUser, user.data(), static_cast<DWORD>(user.size()),
                            &size) &&
        ConvertSidToStringSidW(reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid, &sid)) {
      const std::wstring access = L"D:P(A;OICI;FA;;;" + std::wstring(sid) + L")";
      ConvertStringSecurityDescriptorToSecurityDescriptorW(
          access.c_str(), SDDL_REVISION_1, &attributes_.lpSecurityDescriptor, nullptr);
      LocalFree(sid);
    }
    CloseHandle(token);
  }
  OwnerOnly(const OwnerOnly&) = delete;
  OwnerOnly& operator=(const OwnerOnly&) = delete;
  ~OwnerOnly() { LocalFree(attributes_.lpSecurityDescriptor); }
  bool is_known() const { return attributes_.lpSecurityDescriptor != nullptr; }
  SECURITY_ATTRIBUTES* attributes() { return &attributes_; }

 private:
  SECURITY_ATTRIBUTES attributes_{sizeof(SECURITY_ATTRIBUTES), nullptr, FALSE};
};

bool is_folder(const std::wstring& path) {
  const DWORD attributes = GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

bool make_folders(const std::wstring& path, OwnerOnly& owner) {
  if (is_folder(path)) return true;
  if (CreateDirectoryW(path.c_str(), owner.attributes())) return true;
  if (GetLastError() == ERROR_ALREADY_EXISTS) return is_folder(path);
  if (GetLastError() != ERROR_PATH_NOT_FOUND) return false;
  const std::size_t parent = path.rfind(L'\\');
  if (parent == path.npos || !make_folders(path.substr(0, parent), owner)) return false;
  return CreateDirectoryW(path.c_str(), owner.attributes()) || is_folder(path);
}

bool write_all(HANDLE file, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    DWORD written = 0;
    const DWORD size = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), 1U << 20));
    if (!WriteFile(file, bytes.data(), size, &written, nullptr)) return false;
    bytes = bytes.subspan(written);
  }
  return true;
}

bool read_all(HANDLE file, std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    DWORD got = 0;
    const DWORD size = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), 1U << 20));
    if (!ReadFile(file, bytes.data(), size, &got, nullptr)) return false;
    if (got == 0) SetLastError(ERROR_HANDLE_EOF);  // shorter than it said it was
    if (got == 0) return false;
    bytes = bytes.subspan(got);
  }
  return true;
}

bool is_link(HANDLE file) {
  BY_HANDLE_FILE_INFORMATION about{};
  if (!GetFileInformationByHandle(file, &about)) return true;
  if ((about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) return false;
  SetLastError(ERROR_CANT_ACCESS_FILE);
  return true;
}

}  // namespace

struct FileStateStore::Folder {
  explicit Folder(std::string folder) : path(std::move(folder)), whole(whole_path(path)) {}

  std::wstring file(std::string_view record) const { return whole + L'\\' + wide(record); }

  // Requires the last error to say why.
  Error failure(std::string_view what, std::string_view record, ErrorCode code) const {
    const std::string why = last_error();
    return Error{"cannot " + std::string(what) + " the state file '" + path + "/" +
                     std::string(record) + "': " + why,
                 code};
  }

  std::string path;    // as the application says it
  std::wstring whole;  // empty if there is no such path
  OwnerOnly owner;
  Handle lock;
};

Result<FileStateStore> FileStateStore::open(const std::string& path, MonotonicCounter* counter) {
  auto folder = std::make_unique<Folder>(path);
  if (folder->whole.empty() || !folder->owner.is_known() ||
      !make_folders(folder->whole, folder->owner)) {
    const std::string why = last_error();
    return Error{"cannot make the state folder '" + path + "': " + why, ErrorCode::kNoRoom};
  }
  // Nobody may remove it, nor rename its folder, while it is open.
  folder->lock.replace(CreateFileW(folder->file("lock").c_str(), GENERIC_READ | GENERIC_WRITE,
                                   FILE_SHARE_READ | FILE_SHARE_WRITE, folder->owner.attributes(),
                                   OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL | kNoLinks, nullptr));
  if (!folder->lock.is_open() || is_link(folder->lock.get())) {
    return folder->failure("open", "lock", ErrorCode::kNoRoom);
  }
  OVERLAPPED begin{};
  if (!LockFileEx(folder->lock.get(), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                  &begin)) {
    return Error{"the state folder '" + path + "' is in use; expected one process at a time",
                 ErrorCode::kBusy};
  }
  return FileStateStore(counter, std::move(folder));
}

FileStateStore::FileStateStore(MonotonicCounter* counter, std::unique_ptr<Folder> folder)
    : StateStore(counter), folder_(std::move(folder)) {}

FileStateStore::FileStateStore(FileStateStore&& other) noexcept
    : StateStore(other), folder_(std::move(other.folder_)) {}

// Closing a handle ends its lock, but Windows does not say when: unlocking does.
FileStateStore::~FileStateStore() {
  OVERLAPPED begin{};
  if (folder_ != nullptr) UnlockFileEx(folder_->lock.get(), 0, 1, 0, &begin);
}

Result<std::optional<Bytes>> FileStateStore::load(std::string_view record) {
  const Handle file(CreateFileW(folder_->file(record).c_str(), GENERIC_READ,
                                FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL | kNoLinks, nullptr));
  if (!file.is_open() && GetLastError() == ERROR_FILE_NOT_FOUND) return std::optional<Bytes>();
  LARGE_INTEGER size{};
  if (!file.is_open() || is_link(file.get()) || !GetFileSizeEx(file.get(), &size)) {
    return folder_->failure("read", record, ErrorCode::kDamaged);
  }
  if (size.QuadPart > kMaxRecordBytes) SetLastError(ERROR_FILE_TOO_LARGE);
  if (size.QuadPart > kMaxRecordBytes) {
    return folder_->failure("read", record, ErrorCode::kDamaged);
  }
  Bytes bytes(static_cast<std::size_t>(size.QuadPart));
  if (!read_all(file.get(), bytes)) return folder_->failure("read", record, ErrorCode::kDamaged);
  return std::optional<Bytes>(std::move(bytes));
}

Status FileStateStore::save(std::string_view record, std::span<const std::uint8_t> bytes) {
  const std::wstring name = folder_->file(record);
  const std::wstring temporary = name + L".new";
  DeleteFileW(temporary.c_str());  // what a crash left, or a link
  Handle file(CreateFileW(temporary.c_str(), GENERIC_WRITE, 0, folder_->owner.attributes(),
                          CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
  const bool saved = file.is_open() && write_all(file.get(), bytes) &&
                     FlushFileBuffers(file.get()) && file.close() &&
                     MoveFileExW(temporary.c_str(), name.c_str(),
                                 MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
  if (saved) return {};
  const Error error = folder_->failure("write", record, ErrorCode::kNoRoom);
  file.close();
  DeleteFileW(temporary.c_str());
  return error;
}

Result<std::vector<std::string>> FileStateStore::names() {
  const Error unreadable{"cannot list the state folder '" + folder_->path + "'",
                         ErrorCode::kDamaged};
  WIN32_FIND_DATAW entry{};
  const HANDLE search = FindFirstFileW(folder_->file("*").c_str(), &entry);
  if (search == INVALID_HANDLE_VALUE) return unreadable;
  std::vector<std::string> names;
  do {
    names.push_back(narrow(entry.cFileName));
  } while (FindNextFileW(search, &entry));
  const bool whole = GetLastError() == ERROR_NO_MORE_FILES;
  FindClose(search);
  if (!whole) return unreadable;
  return names;
}

}  // namespace futurerand
