// The store as the writer uses it; tests/collector/damage_test.py breaks the folders of whole
// collectors.
#include "futurerand/collector/log/file_store.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/temporary_folder.hpp"

namespace futurerand {
namespace {

class FileStoreTest : public testing::Test {
 protected:
  FileStoreTest() {
    options_.say = [this](Event, const std::string& line) { said_ += line + "\n"; };
  }

  // Opens and replays; returns the commits after this one, or the error.
  Result<std::vector<std::string>> open(std::uint64_t after = 0) {
    store_.reset();
    Result<std::unique_ptr<FileStore>> store = FileStore::open(options_);
    if (!store) return store.error();
    std::vector<std::string> groups;
    const Status replayed = (*store)->replay(after, [&](std::uint64_t, std::string_view group) {
      groups.emplace_back(group);
      return Status();
    });
    if (!replayed) return replayed.error();
    store_ = *std::move(store);
    return groups;
  }
  void append(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t sequence = first; sequence <= last; ++sequence) {
      ASSERT_EQ(store_->append(sequence, "group " + std::to_string(sequence)).appended,
                Appended::kDurable);
    }
  }
  void checkpoint(std::uint64_t sequence) {
    ASSERT_TRUE(store_->begin(sequence));
    ASSERT_TRUE(store_->put({0, sequence, "state " + std::to_string(sequence)}));
    ASSERT_TRUE(commit());
  }
  // Asks until the checkpoint counts or an error rules it out.
  Result<bool> commit() {
    Result<bool> committed = store_->commit();
    while (committed && !*committed) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      committed = store_->commit();
    }
    return committed;
  }
  std::size_t count(std::string_view prefix) const {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(options_.folder)) {
      found += entry.path().filename().string().starts_with(prefix) ? 1U : 0U;
    }
    return found;
  }

  const test::TemporaryFolder place_;
  StoreOptions options_{.folder = place_ / "data"};
  std::unique_ptr<FileStore> store_;
  std::string said_;
};

TEST_F(FileStoreTest, GroupsComeBackInOrder) {
  ASSERT_TRUE(open());
  append(1, 100);
  const auto groups = open();
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 100U);
  EXPECT_EQ(groups->front(), "group 1");
  EXPECT_EQ(groups->back(), "group 100");
  append(101, 110);
  EXPECT_EQ(open(105)->size(), 5U);
  EXPECT_EQ(said_, "");
}

TEST_F(FileStoreTest, TwoCheckpointsAndTheLogFromTheOlderOneAreKept) {
  ASSERT_TRUE(open());
  for (std::uint64_t i = 1; i <= 5; ++i) {
    append(10 * i - 9, 10 * i);
    checkpoint(10 * i);
  }
  append(51, 53);
  EXPECT_EQ(store_->sequences(), (std::vector<std::uint64_t>{50, 40}));
  EXPECT_EQ(open(50)->size(), 3U);
  EXPECT_EQ(open(40)->size(), 13U);
  const auto whole = open();
  ASSERT_FALSE(whole);
  EXPECT_NE(whole.error().message.find("commits 1 to 40"), std::string::npos)
      << whole.error().message;
}

TEST_F(FileStoreTest, TheWholeLogIsKeptIfAsked) {
  options_.keep_log = true;
  ASSERT_TRUE(open());
  for (std::uint64_t i = 1; i <= 5; ++i) {
    append(10 * i - 9, 10 * i);
    checkpoint(10 * i);
  }
  EXPECT_EQ(count("checkpoint-"), 2U);
  EXPECT_EQ(open()->size(), 50U);
}

TEST_F(FileStoreTest, ADamagedCheckpointIsNotOneOfTheTwo) {
  ASSERT_TRUE(open());
  append(1, 10);
  checkpoint(10);
  append(11, 20);
  checkpoint(20);
  ASSERT_TRUE(open(20));
  std::filesystem::resize_file(options_.folder / "checkpoint-00000000000000000020", 30);
  const auto anything = [](const CheckpointPiece&) { return Status(); };
  EXPECT_FALSE(store_->read(20, anything));
  EXPECT_TRUE(store_->read(10, anything));
  append(21, 30);
  checkpoint(30);
  EXPECT_EQ(store_->sequences(), (std::vector<std::uint64_t>{30, 10}));
  EXPECT_EQ(open(10)->size(), 20U);
}

TEST_F(FileStoreTest, OneProcessAtATime) {
  ASSERT_TRUE(open());
  const Result<std::unique_ptr<FileStore>> second = FileStore::open(options_);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another process"), std::string::npos);
}

TEST_F(FileStoreTest, RepairKeepsWhatComesBefore) {
  ASSERT_TRUE(open());
  append(1, 10);
  store_.reset();
  const std::filesystem::path log = options_.folder / "log-00000000000000000001";
  std::filesystem::resize_file(log, 32 + 5 * 32);
  const auto refused = open();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("commit 10 was acknowledged"), std::string::npos)
      << refused.error().message;
  options_.repair = true;
  ASSERT_EQ(open()->size(), 5U);
  EXPECT_NE(said_.find("kept everything up to commit 5; lost commits 6 to 10"), std::string::npos)
      << said_;
  append(6, 7);
  options_.repair = false;
  EXPECT_EQ(open()->size(), 7U);
  EXPECT_TRUE(std::filesystem::exists(options_.folder / "before-repair-1" / "high_water_mark"));
}

TEST_F(FileStoreTest, WhatIsNotDurableDoesNotCount) {
  ASSERT_TRUE(open());
  append(1, 3);
  ASSERT_TRUE(store_->begin(3));
  ASSERT_TRUE(store_->put({0, 3, "half"}));
  EXPECT_EQ(open()->size(), 3U);
  EXPECT_TRUE(store_->sequences().empty());
  EXPECT_EQ(count("checkpoint-"), 0U);
}

// Pieces go to the disk on another thread, a little at a time. The caller never waits, but may be
// asked to try again later. The file gets its name only when all of it is durable.
TEST_F(FileStoreTest, ACheckpointIsWrittenWhileTheLogGoesOn) {
  ASSERT_TRUE(open());
  append(1, 3);
  ASSERT_TRUE(store_->begin(3));
  const std::string piece(700'000, 'p');
  std::uint64_t last = 3;
  bool was_busy = false;
  for (std::uint32_t number = 0; number < 40;) {
    was_busy = was_busy || store_->is_busy();
    if (store_->is_busy()) {
      append(last + 1, last + 1);
      ++last;
      continue;
    }
    ASSERT_TRUE(store_->put({number++, last, piece}));
    ASSERT_TRUE(store_->sequences().empty());
  }
  EXPECT_TRUE(was_busy);
  ASSERT_TRUE(commit());
  EXPECT_FALSE(store_->is_busy());
  EXPECT_EQ(store_->sequences(), (std::vector<std::uint64_t>{3}));
  std::uint32_t pieces = 0;
  ASSERT_TRUE(store_->read(3, [&](const CheckpointPiece& read) {
    EXPECT_EQ(read.number, pieces++);
    EXPECT_EQ(read.bytes, piece);
    return Status();
  }));
  EXPECT_EQ(pieces, 40U);
  EXPECT_EQ(open(3)->size(), last - 3);
}

// A folder under the file's name stands for a failing disk.
TEST_F(FileStoreTest, ACheckpointThatFailsOnItsThreadIsSaidAndLeavesNothing) {
  ASSERT_TRUE(open());
  append(1, 3);
  const std::filesystem::path name = options_.folder / "checkpoint-00000000000000000003";
  ASSERT_TRUE(store_->begin(3));
  std::filesystem::create_directories(name / "in the way");
  ASSERT_TRUE(store_->put({0, 3, "state"}));
  const Result<bool> committed = commit();
  ASSERT_FALSE(committed);
  EXPECT_NE(committed.error().message.find("cannot rename"), std::string::npos)
      << committed.error().message;
  EXPECT_FALSE(std::filesystem::exists(name.string() + ".new"));
  std::filesystem::remove_all(name);
  append(4, 5);
  checkpoint(5);
  EXPECT_EQ(store_->sequences(), (std::vector<std::uint64_t>{5}));
}

// Given up in the middle, as when a metric is deleted: the next one begins anew.
TEST_F(FileStoreTest, ACheckpointThatIsGivenUpNeverCounts) {
  ASSERT_TRUE(open());
  append(1, 3);
  ASSERT_TRUE(store_->begin(3));
  ASSERT_TRUE(store_->put({0, 3, std::string(3 << 20, 'x')}));
  append(4, 4);
  checkpoint(4);
  EXPECT_EQ(store_->sequences(), (std::vector<std::uint64_t>{4}));
  EXPECT_EQ(count("checkpoint-"), 1U);
}

}  // namespace
}  // namespace futurerand
