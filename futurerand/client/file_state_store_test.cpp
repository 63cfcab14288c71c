// The file store, as every platform has it.
#include "futurerand/client/file_state_store.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "futurerand/client/test/store_calls.hpp"
#include "futurerand/client/test/store_folder.hpp"

namespace futurerand {
namespace {

using test::FileStateStoreTest;
using test::store_calls;

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

TEST_F(FileStateStoreTest, ReadsNothingThatIsTooLong) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a", Bytes{1}));
  std::filesystem::resize_file(path("a"), std::uintmax_t{1} << 24);
  EXPECT_TRUE(store.load("a"));
  std::filesystem::resize_file(path("a"), (std::uintmax_t{1} << 24) + 1);
  const Result<std::optional<Bytes>> refused = store.load("a");
  ASSERT_FALSE(refused);
  const std::string expected = "cannot read the state file '" + folder_ + "/a': ";
  EXPECT_TRUE(refused.error().message.starts_with(expected)) << refused.error().message;
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

// First the file, then the folder: only when both are on the disk is a record saved.
TEST_F(FileStateStoreTest, WhatIsNotOnTheDiskIsNotSaved) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a", Bytes{1}));
  for (const int call : {1, 2}) {
    store_calls.failing_sync = call;
    const Status saved = store.save("a", Bytes{2});
    EXPECT_EQ(store_calls.failing_sync, 0);
    ASSERT_FALSE(saved) << call;
    EXPECT_EQ(saved.error().code, ErrorCode::kNoRoom);
    if (call == 1) {
      EXPECT_EQ(*store.load("a"), Bytes{1});
    }
  }
  EXPECT_TRUE(store.save("a", Bytes{3}));
}

TEST_F(FileStateStoreTest, NamesAllRecords) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a", Bytes{1}));
  ASSERT_TRUE(store.save("metric-0123456789abcdef", Bytes{2}));
  const std::vector<std::string> names = *store.names();
  for (const char* name : {"a", "metric-0123456789abcdef"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
}

// The store keeps the folder that it opened, whatever the process calls so later.
TEST_F(FileStateStoreTest, AnotherWorkingDirectoryChangesNothing) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  FileStateStore store = *FileStateStore::open("state");
  std::filesystem::current_path(before);
  ASSERT_TRUE(store.save("a", Bytes{1}));
  EXPECT_EQ(*store.load("a"), Bytes{1});
  EXPECT_TRUE(std::filesystem::exists(path("state/a")));
}

TEST_F(FileStateStoreTest, ATornTemporaryFileIsOverwritten) {
  FileStateStore store = *FileStateStore::open(folder_);
  ASSERT_TRUE(store.save("a.new", Bytes(500, 1)));  // as if a crash had left it
  ASSERT_TRUE(store.save("a", Bytes{2}));
  EXPECT_EQ(*store.load("a"), Bytes{2});
}

}  // namespace
}  // namespace futurerand
