// The file store as POSIX has it, and what takes the place of its calls in tests.
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "futurerand/client/file_state_store.hpp"
#include "futurerand/client/test/store_calls.hpp"
#include "futurerand/client/test/store_folder.hpp"

namespace {

using futurerand::test::counts_down;
using futurerand::test::kKilled;
using futurerand::test::store_calls;

void kill_if_asked() {
  if (counts_down(store_calls.killing_call)) _exit(kKilled);
}

}  // namespace

// These take the place of the C library's in this program.
extern "C" int openat(int folder, const char* path, int flags, ...) {
  kill_if_asked();
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

extern "C" ssize_t write(int fd, const void* bytes, std::size_t size) {
  if (counts_down(store_calls.killing_call)) {
    if (store_calls.writes_half) syscall(SYS_write, fd, bytes, size / 2);
    _exit(kKilled);
  }
  return syscall(SYS_write, fd, bytes, size);
}

extern "C" int fsync(int fd) {
  kill_if_asked();
  if (counts_down(store_calls.failing_sync)) {
    errno = EIO;
    return -1;
  }
  return fcntl(fd, F_GETFD) < 0 ? -1 : 0;  // no test waits for the disk
}

extern "C" int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  kill_if_asked();
  return static_cast<int>(syscall(SYS_renameat, from_folder, from, to_folder, to));
}

namespace futurerand {

int test::live_elsewhere(const StoreLife& life) {
  const pid_t child = ::fork();
  if (child == 0) {
    live(life);
    ::_exit(0);
  }
  int status = -1;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

namespace {

using test::FileStateStoreTest;

TEST_F(FileStateStoreTest, IsTheOwnersOnly) {
  FileStateStore store = *FileStateStore::open(path("state"));
  ASSERT_TRUE(store.save("a", Bytes{1}));
  struct stat status {};
  ASSERT_EQ(::stat(path("state").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  for (const char* file : {"state/a", "state/lock"}) {
    ASSERT_EQ(::stat(path(file).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
  }
}

TEST_F(FileStateStoreTest, MakesTheFoldersAboveIt) {
  ASSERT_TRUE(FileStateStore::open(path("one/two/three")));
  struct stat status {};
  ASSERT_EQ(::stat(path("one/two").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  EXPECT_TRUE(FileStateStore::open(path("one/two/three/")));
}

TEST_F(FileStateStoreTest, WhatCannotBeReadIsNotNothing) {
  FileStateStore store = *FileStateStore::open(folder_);
  std::filesystem::create_directory(path("a"));
  EXPECT_FALSE(store.load("a"));
  EXPECT_FALSE(store.save("a", Bytes{1}));
  EXPECT_FALSE(std::filesystem::exists(path("a.new")));
  std::filesystem::create_symlink("/dev/null", path("b"));
  EXPECT_FALSE(store.load("b"));
  // A file where a folder should be.
  ASSERT_TRUE(store.save("c", Bytes{1}));
  EXPECT_EQ(FileStateStore::open(path("c/state")).error().code, ErrorCode::kNoRoom);
  // The lock is a link to somewhere else.
  std::filesystem::create_directory(path("d"));
  std::filesystem::create_symlink("/dev/null", path("d/lock"));
  EXPECT_EQ(FileStateStore::open(path("d")).error().code, ErrorCode::kNoRoom);
}

// A disk that takes a part and then no more: a limit on the size of files is a real one.
TEST_F(FileStateStoreTest, ADiskThatFillsUpLosesNothing) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a", Bytes(100, 1)));
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 4096, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status saved = store.save("a", Bytes(10'000, 2));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::kNoRoom);
  EXPECT_EQ(*store.load("a"), Bytes(100, 1));
  EXPECT_FALSE(std::filesystem::exists(path("a.new")));
}

// A service may run with its standard input closed: then files get the number 0.
TEST_F(FileStateStoreTest, ZeroIsAFileToo) {
  const int kept = ::dup(0);
  ::close(0);
  {
    FileStateStore store = *FileStateStore::open(folder_);  // the folder is 0
    EXPECT_TRUE(store.save("a", Bytes{3}));
    EXPECT_EQ(*store.load("a"), Bytes{3});
    EXPECT_FALSE(FileStateStore::open(folder_));
  }
  {
    const int taken = ::dup(1);  // 0
    FileStateStore store = *FileStateStore::open(folder_);
    if (taken == 0) ::close(0);
    // Now every file that is opened is 0.
    EXPECT_TRUE(store.save("b", Bytes{4}));
    EXPECT_EQ(*store.load("b"), Bytes{4});
    EXPECT_EQ(*store.load("none"), std::nullopt);
    EXPECT_EQ(store.names()->size(), 5U);  // ".", "..", lock, a, b
    const int next = ::dup(1);
    EXPECT_EQ(next, 0);  // all were closed again
    ::close(next);
  }
  if (kept >= 0) {
    ::dup2(kept, 0);
    ::close(kept);
  }
}

}  // namespace
}  // namespace futurerand
