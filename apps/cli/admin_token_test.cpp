#include "apps/cli/admin_token.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace {

class AdminTokenTest : public testing::Test {
 protected:
  ~AdminTokenTest() override { std::filesystem::remove(path_); }
  std::string read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_admin_token(path_);
  }
  const std::string path_ = testing::TempDir() + "futurerand_admin_token_test";
};

TEST_F(AdminTokenTest, IsTheFirstLineHoweverItEnds) {
  for (const char* text :
       {"the token", "the token\n", "the token\r\n", " the token \t\r\nmore\n"}) {
    EXPECT_EQ(read(text), "the token") << text;
  }
}

TEST_F(AdminTokenTest, WithoutAPathThereIsNone) { EXPECT_EQ(read_admin_token(""), ""); }

TEST_F(AdminTokenTest, RefusesWhatIsNoToken) {
  for (const char* text : {"", "\n", "short\n", "   short   \n", "\nthe second line\n"}) {
    EXPECT_THROW(read(text), Failure) << text;
  }
  EXPECT_THROW(read_admin_token("/nowhere/at/all"), Failure);
}

}  // namespace
}  // namespace futurerand::apps
