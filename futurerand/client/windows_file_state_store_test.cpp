// The file store as Windows has it, and what takes the place of its calls in tests.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <aclapi.h>
#include <gtest/gtest.h>
#include <process.h>
#include <windows.h>

#include "futurerand/client/file_state_store.hpp"
#include "futurerand/client/test/store_calls.hpp"
#include "futurerand/client/test/store_folder.hpp"

namespace {

using futurerand::test::counts_down;
using futurerand::test::kKilled;
using futurerand::test::store_calls;

DWORD flags_of_last_move = 0;
bool disk_is_full = false;

// The system's own call of this name.
template <typename Call>
Call* real(const char* name) {
  return reinterpret_cast<Call*>(
      reinterpret_cast<void*>(GetProcAddress(GetModuleHandleW(L"kernel32.dll"), name)));
}

void kill() { TerminateProcess(GetCurrentProcess(), kKilled); }

void kill_if_asked() {
  if (counts_down(store_calls.killing_call)) kill();
}

bool fails_to_sync() {
  if (!counts_down(store_calls.failing_sync)) return false;
  SetLastError(ERROR_IO_DEVICE);
  return true;
}

HANDLE WINAPI create_file(LPCWSTR path, DWORD access, DWORD sharing, LPSECURITY_ATTRIBUTES owner,
                          DWORD how, DWORD flags, HANDLE like) {
  kill_if_asked();
  static auto* const call = real<decltype(create_file)>("CreateFileW");
  return call(path, access, sharing, owner, how, flags, like);
}

BOOL WINAPI write_file(HANDLE file, LPCVOID bytes, DWORD size, LPDWORD written, LPOVERLAPPED at) {
  static auto* const call = real<decltype(write_file)>("WriteFile");
  if (counts_down(store_calls.killing_call)) {
    if (store_calls.writes_half) call(file, bytes, size / 2, written, at);
    kill();
  }
  if (!disk_is_full) return call(file, bytes, size, written, at);
  call(file, bytes, size / 2, written, at);
  SetLastError(ERROR_DISK_FULL);
  return FALSE;
}

BOOL WINAPI flush_file(HANDLE file) {
  kill_if_asked();
  static auto* const call = real<decltype(flush_file)>("FlushFileBuffers");
  return fails_to_sync() ? FALSE : call(file);
}

BOOL WINAPI move_file(LPCWSTR from, LPCWSTR to, DWORD flags) {
  kill_if_asked();
  flags_of_last_move = flags;
  static auto* const call = real<decltype(move_file)>("MoveFileExW");
  return fails_to_sync() ? FALSE : call(from, to, flags);
}

BOOL WINAPI delete_file(LPCWSTR path) {
  kill_if_asked();
  static auto* const call = real<decltype(delete_file)>("DeleteFileW");
  return call(path);
}

}  // namespace

// A program finds what a DLL gives through such pointers.
extern "C" {
decltype(&create_file) __imp_CreateFileW = create_file;
decltype(&write_file) __imp_WriteFile = write_file;
decltype(&flush_file) __imp_FlushFileBuffers = flush_file;
decltype(&move_file) __imp_MoveFileExW = move_file;
decltype(&delete_file) __imp_DeleteFileW = delete_file;
}

namespace futurerand {
namespace {

const char* value_of(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) std::abort();
  return value;
}

int number_of(const char* name) { return std::atoi(value_of(name)); }

// Not a test: what live_elsewhere() starts.
TEST(KilledStore, DISABLED_LivesHere) {
  test::live({value_of("STORE_STATE"),
              value_of("STORE_SENT"),
              number_of("STORE_ATTEMPT"),
              {0, number_of("STORE_KILL"), number_of("STORE_HALF") != 0}});
}

}  // namespace

int test::live_elsewhere(const StoreLife& life) {
  _putenv_s("STORE_STATE", life.state.c_str());
  _putenv_s("STORE_SENT", life.sent.c_str());
  _putenv_s("STORE_ATTEMPT", std::to_string(life.attempt).c_str());
  _putenv_s("STORE_KILL", std::to_string(life.calls.killing_call).c_str());
  _putenv_s("STORE_HALF", std::to_string(life.calls.writes_half).c_str());
  wchar_t program[MAX_PATH];
  GetModuleFileNameW(nullptr, program, MAX_PATH);
  return static_cast<int>(_wspawnl(_P_WAIT, program, L"store", L"--gtest_also_run_disabled_tests",
                                   L"--gtest_filter=KilledStore.DISABLED_LivesHere",
                                   L"--gtest_brief=1", nullptr));
}

namespace {

using test::FileStateStoreTest;

// Tells whether nobody but this user may do anything. wine adds an entry for the system.
bool is_the_users_only(const std::string& path) {
  PACL list = nullptr;
  PSID owner = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  const std::wstring name = std::filesystem::path(path).wstring();
  if (GetNamedSecurityInfoW(name.c_str(), SE_FILE_OBJECT,
                            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, nullptr,
                            &list, nullptr, &descriptor) != ERROR_SUCCESS) {
    return false;
  }
  bool only = list != nullptr && list->AceCount > 0;
  for (DWORD i = 0; only && i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (!GetAce(list, i, &entry)) return false;
    auto* const allowed = static_cast<ACCESS_ALLOWED_ACE*>(entry);
    const PSID who = &allowed->SidStart;
    only = allowed->Header.AceType == ACCESS_ALLOWED_ACE_TYPE &&
           (EqualSid(owner, who) || IsWellKnownSid(who, WinLocalSystemSid));
  }
  LocalFree(descriptor);
  return only;
}

TEST_F(FileStateStoreTest, IsTheOwnersOnly) {
  FileStateStore store = *FileStateStore::open(path("one/state"));
  ASSERT_TRUE(store.save("a", Bytes{1}));
  for (const char* made : {"one", "one/state", "one/state/a", "one/state/lock"}) {
    EXPECT_TRUE(is_the_users_only(path(made))) << made;
  }
}

TEST_F(FileStateStoreTest, MakesTheFoldersAboveIt) {
  ASSERT_TRUE(FileStateStore::open(path("one/two/three")));
  EXPECT_TRUE(FileStateStore::open(path("one/two/three/")));
  EXPECT_TRUE(FileStateStore::open(path("one\\two\\four\\")));
}

TEST_F(FileStateStoreTest, WhatCannotBeReadIsNotNothing) {
  FileStateStore store = *FileStateStore::open(folder_);
  std::filesystem::create_directory(path("a"));
  EXPECT_FALSE(store.load("a"));
  EXPECT_FALSE(store.save("a", Bytes{1}));
  EXPECT_FALSE(std::filesystem::exists(path("a.new")));
  // A file where a folder should be.
  ASSERT_TRUE(store.save("c", Bytes{1}));
  EXPECT_EQ(FileStateStore::open(path("c/state")).error().code, ErrorCode::kNoRoom);
  EXPECT_EQ(FileStateStore::open(path("c")).error().code, ErrorCode::kNoRoom);
}

// Somebody else has a record open and shares nothing: it exists, so it is an error, not nothing.
TEST_F(FileStateStoreTest, WhatIsOpenElsewhereIsNotNothing) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a", Bytes{1}));
  const HANDLE theirs = CreateFileW(std::filesystem::path(path("a")).c_str(), GENERIC_READ, 0,
                                    nullptr, OPEN_EXISTING, 0, nullptr);
  ASSERT_NE(theirs, INVALID_HANDLE_VALUE);
  EXPECT_EQ(store.load("a").error().code, ErrorCode::kDamaged);
  EXPECT_EQ(store.save("a", Bytes{2}).error().code, ErrorCode::kNoRoom);
  CloseHandle(theirs);
  EXPECT_EQ(*store.load("a"), Bytes{1});
  EXPECT_FALSE(std::filesystem::exists(path("a.new")));
}

TEST_F(FileStateStoreTest, ADiskThatFillsUpLosesNothing) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a", Bytes(100, 1)));
  disk_is_full = true;
  const Status saved = store.save("a", Bytes(10'000, 2));
  disk_is_full = false;
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::kNoRoom);
  EXPECT_EQ(saved.error().message,
            "cannot write the state file '" + folder_ + "/a': error 112 of Windows");
  EXPECT_EQ(*store.load("a"), Bytes(100, 1));
  EXPECT_FALSE(std::filesystem::exists(path("a.new")));
}

TEST_F(FileStateStoreTest, ReplacesARecordAtOnceAndOnTheDisk) {
  FileStateStore store = *FileStateStore::open(folder_);
  flags_of_last_move = 0;
  ASSERT_TRUE(store.save("a", Bytes{1}));
  EXPECT_EQ(flags_of_last_move, DWORD{MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH});
}

// Without its lock a second process could open the folder. wine cannot show that Windows also
// refuses to rename a folder with an open file.
TEST_F(FileStateStoreTest, KeepsItsLock) {
  const FileStateStore store = *FileStateStore::open(path("state"));
  std::error_code error;
  EXPECT_FALSE(std::filesystem::remove(path("state/lock"), error));
  EXPECT_TRUE(std::filesystem::exists(path("state/lock")));
}

TEST_F(FileStateStoreTest, TakesPathsInUtf8AndLongOnes) {
  const std::string folder = path("\xc3\xa9tat \xe2\x82\xac");
  FileStateStore store = *FileStateStore::open(folder);
  ASSERT_TRUE(store.save("a", Bytes{1}));
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(path("")) / L"\u00e9tat \u20ac" / "a"));
  EXPECT_EQ(FileStateStore::open(path("\xff")).error().code, ErrorCode::kNoRoom);
  std::string long_path = path("long");
  for (int i = 0; i < 4; ++i) long_path += "/" + std::string(100, 'x');
  {
    FileStateStore deep = *FileStateStore::open(long_path);
    ASSERT_TRUE(deep.save("con", Bytes{2}));  // elsewhere the name of a device
    EXPECT_EQ(*deep.load("con"), Bytes{2});
  }
  // The C++ library takes no long paths, so it could not clean up.
  std::wstring rest = L"\\\\?\\" + std::filesystem::path(long_path).make_preferred().wstring();
  for (const wchar_t* file : {L"\\con", L"\\lock"}) DeleteFileW((rest + file).c_str());
  while (rest.size() > MAX_PATH / 2 && RemoveDirectoryW(rest.c_str())) {
    rest.resize(rest.rfind(L'\\'));
  }
}

}  // namespace
}  // namespace futurerand
