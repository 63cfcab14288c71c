#include "apps/cli/token_file.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "apps/cli/failure.hpp"
#include "futurerand/core/base/test/temporary_folder.hpp"

namespace futurerand::apps {
namespace {

class TokenFileTest : public testing::Test {
 protected:
  std::vector<std::string> read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_tokens("admin", path_);
  }
  const test::TemporaryFolder folder_;
  const std::string path_ = folder_ / "tokens";
};

TEST_F(TokenFileTest, HasATokenInEachLineHoweverItEnds) {
  using Tokens = std::vector<std::string>;
  for (const char* text : {"the token of the tests", "the token of the tests\n",
                           "the token of the tests\r\n", "\n\n \tthe token of the tests \t\r\n"}) {
    EXPECT_EQ(read(text), Tokens{"the token of the tests"}) << text;
  }
  EXPECT_EQ(read("# since May\nthe newest of all\n\n#the oldest one of all\nthe old one of all\n"),
            (Tokens{"the newest of all", "the old one of all"}));
  EXPECT_EQ(read_token("admin", path_), "the newest of all");
}

TEST_F(TokenFileTest, WithoutAPathThereIsNone) {
  EXPECT_TRUE(read_tokens("read", "").empty());
  EXPECT_EQ(read_token("read", ""), "");
}

TEST_F(TokenFileTest, RefusesWhatIsNoToken) {
  for (const char* text : {"", "\n", "# the token of the tests\n", "short\n", "   short   \n",
                           "fifteen-letters\n", "the token of the tests\nshort\n",
                           "t\x01he token of the tests\n", "t\xc3\xa9he token of the tests\n"}) {
    EXPECT_THROW(read(text), Failure) << text;
  }
  EXPECT_THROW(read_tokens("read", "/nowhere/at/all"), Failure);
}

TEST_F(TokenFileTest, NeverTellsAToken) {
  try {
    (void)read("a good secret that is long\nsecret\n");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(std::string(failure.what()).find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace futurerand::apps
