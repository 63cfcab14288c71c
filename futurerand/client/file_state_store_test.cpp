#include "futurerand/client/file_state_store.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "futurerand/core/base/test/temporary_folder.hpp"

namespace {

int fsync_to_fail = 0;  // from 1: the call that fails; 0 for none

}  // namespace

// Takes the place of the C library's in this program.
extern "C" int fsync(int fd) {
  if (fsync_to_fail > 0 && --fsync_to_fail == 0) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace futurerand {
namespace {

class FileStateStoreTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return place_ / name; }

  const test::TemporaryFolder place_;
  const std::string& folder_ = place_.path();
};

TEST_F(FileStateStoreTest, KeepsRecordsAsTheyAre) {
  const Bytes first = {0, 1, 255, '\n', 0};
  const Bytes second(100'000, 7);
  {
    FileStateStore store = *FileStateStore::open(path("state"));
    EXPECT_EQ(*store.load("a"), std::nullopt);
    ASSERT_TRUE(store.save("a", first));
    ASSERT_TRUE(store.save("b", {}));
    ASSERT_TRUE(store.save("a", second));
    EXPECT_EQ(*store.load("a"), second);
  }
  FileStateStore store = *FileStateStore::open(path("state"));
  EXPECT_EQ(*store.load("a"), second);
  EXPECT_EQ(*store.load("b"), Bytes());
  EXPECT_FALSE(std::filesystem::exists(path("state/a.new")));
}

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

TEST_F(FileStateStoreTest, IsOpenOnceAtATime) {
  {
    FileStateStore store = *FileStateStore::open(folder_);
    const Result<FileStateStore> second = FileStateStore::open(folder_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message,
              "the state folder '" + folder_ + "' is in use; expected one process at a time");
  }
  EXPECT_TRUE(FileStateStore::open(folder_));
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

TEST_F(FileStateStoreTest, ReadsNothingThatIsTooLong) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a", Bytes{1}));
  std::filesystem::resize_file(path("a"), std::uintmax_t{1} << 24);
  EXPECT_TRUE(store.load("a"));
  std::filesystem::resize_file(path("a"), (std::uintmax_t{1} << 24) + 1);
  const Result<std::optional<Bytes>> refused = store.load("a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "cannot read the state file '" + folder_ + "/a': File too large");
}

// A relative folder, of one letter, of which nothing is there yet and no earlier error is left.
TEST_F(FileStateStoreTest, MakesARelativeFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  errno = 0;
  EXPECT_TRUE(FileStateStore::open("a"));
  errno = 0;
  EXPECT_TRUE(FileStateStore::open("b/c"));
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::is_directory(path("b/c")));
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

// First the file, then the folder: only when both are on the disk is a record saved.
TEST_F(FileStateStoreTest, WhatIsNotOnTheDiskIsNotSaved) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a", Bytes{1}));
  for (const int call : {1, 2}) {
    fsync_to_fail = call;
    const Status saved = store.save("a", Bytes{2});
    EXPECT_EQ(fsync_to_fail, 0);
    ASSERT_FALSE(saved) << call;
    EXPECT_EQ(saved.error().code, ErrorCode::kNoRoom);
    if (call == 1) {
      EXPECT_EQ(*store.load("a"), Bytes{1});
    }
  }
  EXPECT_TRUE(store.save("a", Bytes{3}));
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

TEST_F(FileStateStoreTest, ATornTemporaryFileIsOverwritten) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a.new", Bytes(500, 1)));  // as if a crash had left it
  ASSERT_TRUE(store.save("a", Bytes{2}));
  EXPECT_EQ(*store.load("a"), Bytes{2});
}

}  // namespace
}  // namespace futurerand
