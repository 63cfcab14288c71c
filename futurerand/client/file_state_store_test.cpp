#include "futurerand/client/file_state_store.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace futurerand {
namespace {

class FileStateStoreTest : public ::testing::Test {
 protected:
  FileStateStoreTest()
      : folder_((std::filesystem::temp_directory_path() / "futurerandXXXXXX").string()) {
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
  }
  ~FileStateStoreTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
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
  ASSERT_EQ(::stat(path("state/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
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
  EXPECT_FALSE(FileStateStore::open(path("c/state")));
}

TEST_F(FileStateStoreTest, ATornTemporaryFileIsOverwritten) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a.new", Bytes(500, 1)));  // as if a crash had left it
  ASSERT_TRUE(store.save("a", Bytes{2}));
  EXPECT_EQ(*store.load("a"), Bytes{2});
}

}  // namespace
}  // namespace futurerand
