#include "apps/cli/output_file.hpp"

#include <gtest/gtest.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/input_file.hpp"
#include "futurerand/core/base/test/temporary_folder.hpp"

namespace futurerand::apps {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const test::TemporaryFolder place_;
  const fs::path folder_ = place_.path();
};

TEST_F(OutputFileTest, AppearsWholeOnCommit) {
  const fs::path path = folder_ / "out.csv";
  OutputFile file(path);
  file.write("all ");
  EXPECT_FALSE(fs::exists(path));
  file.write("of it");
  file.commit();
  EXPECT_EQ(read_file(path.string()), "all of it");
  EXPECT_EQ(num_files(), 1U);
}

TEST_F(OutputFileTest, LeavesTheOldFileWithoutACommit) {
  const fs::path path = folder_ / "out.csv";
  OutputFile old(path);
  old.write("old");
  old.commit();
  { OutputFile(path).write("half"); }
  EXPECT_EQ(read_file(path.string()), "old");
  EXPECT_EQ(num_files(), 1U);
}

TEST_F(OutputFileTest, RefusesWhatCannotBeWritten) {
  try {
    OutputFile file(folder_ / "missing" / "out.csv");
    FAIL() << "a file in a missing folder was opened";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), 2);
    EXPECT_NE(std::string(failure.what()).find("missing/out.csv"), std::string::npos);
  }
  EXPECT_THROW(OutputFile file(folder_), Failure);
  EXPECT_THROW(read_file(folder_.string()), Failure);
  EXPECT_THROW(read_file((folder_ / "none").string()), Failure);
}

TEST_F(OutputFileTest, WritesDevicesInPlace) {
  OutputFile file("/dev/null");
  file.write("gone");
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace futurerand::apps
