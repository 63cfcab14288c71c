#include "futurerand/collector/log/checkpoint_file.hpp"

#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "futurerand/collector/log/high_water_mark.hpp"
#include "futurerand/core/base/test/temporary_folder.hpp"

namespace futurerand {
namespace {

class FilesTest : public testing::Test {
 protected:
  static std::string bytes_of(const std::filesystem::path& path) {
    const Result<MappedFile> file = MappedFile::open(path);
    return file ? std::string(file->bytes()) : "";
  }

  const test::TemporaryFolder place_;
  const std::filesystem::path folder_ = place_.path();
};

TEST_F(FilesTest, ACheckpointIsReadAsItWasWritten) {
  const std::filesystem::path path = folder_ / "checkpoint";
  Result<CheckpointFile> file = CheckpointFile::create(path, 9);
  ASSERT_TRUE(file);
  const std::vector<std::string> pieces = {"list", "", std::string(300'000, 'x'), "end"};
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    ASSERT_TRUE(file->put({i * 3, 9 + i, pieces[i]}));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(file->commit());
  const std::string whole = bytes_of(path);
  std::uint32_t seen = 0;
  const auto visit = [&](const CheckpointPiece& piece) -> Status {
    EXPECT_EQ(piece.number, seen * 3);
    EXPECT_EQ(piece.cut, 9 + seen);
    EXPECT_EQ(piece.bytes, pieces[seen]);
    ++seen;
    return {};
  };
  EXPECT_TRUE(read_checkpoint(whole, 9, visit));
  EXPECT_EQ(seen, pieces.size());

  const auto anything = [](const CheckpointPiece&) { return Status(); };
  EXPECT_FALSE(read_checkpoint(whole, 8, anything));
  EXPECT_FALSE(read_checkpoint(whole + "x", 9, anything));
  EXPECT_FALSE(read_checkpoint("", 9, anything));
  for (std::size_t at = 0; at < whole.size(); at += at < 200 ? 1U : 4999U) {
    EXPECT_FALSE(read_checkpoint(whole.substr(0, at), 9, anything)) << at;
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 16);
    EXPECT_FALSE(read_checkpoint(bad, 9, anything)) << at;
  }
  EXPECT_FALSE(read_checkpoint(whole, 9, [](const CheckpointPiece&) { return Error{"no"}; }));
}

TEST_F(FilesTest, AMarkSurvivesEitherPlace) {
  const std::filesystem::path path = folder_ / "high_water_mark";
  EXPECT_FALSE(HighWaterMark::open(path));
  ASSERT_TRUE(HighWaterMark::create(path, 3));
  for (std::uint64_t sequence = 4; sequence < 12; ++sequence) {
    Result<HighWaterMark> mark = HighWaterMark::open(path);
    ASSERT_TRUE(mark) << mark.error().message;
    EXPECT_EQ(mark->sequence(), sequence - 1);
    const std::string before = bytes_of(path);
    ASSERT_TRUE(mark->set(sequence));
    const std::string after = bytes_of(path);
    EXPECT_EQ(read_high_water_mark(after), sequence);
    // However much of it reached the disk before a crash, the mark is the old number or the new
    // one.
    for (std::size_t at = 0; at < after.size(); ++at) {
      if (before[at] == after[at]) continue;
      std::string torn = after;
      torn[at] = 'x';
      const auto read = read_high_water_mark(torn);
      EXPECT_TRUE(read == sequence - 1 || read == sequence) << at;
    }
  }
  EXPECT_EQ(read_high_water_mark(""), std::nullopt);
  EXPECT_EQ(read_high_water_mark(std::string(8192, '\0')), std::nullopt);
}

}  // namespace
}  // namespace futurerand
