#include "futurerand/documents/sums_document.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(SumsDocument, ComesBack) {
  const SumsDocument document{
      "m", 2, 5, {{0, {-1, 2}, {3, 4}, {1, 2}, {5, 0}, {}}, {1, {0}, {1}, {}, {0, 0}, {7}}}};
  const std::string text = to_json(document);
  EXPECT_EQ(text,
            R"({"metric":"m","current_period":2,"devices":5,"views":[)"
            R"({"view":0,"order":0,"sums":[-1,2],"counts":[3,4],"spoken":[1,2],"enrolled":[5,0]},)"
            R"({"view":1,"order":1,"sums":[0],"counts":[1],"enrolled":[0,0],)"
            R"("snapshot_devices":[7]}]})");
  const Result<SumsDocument> read = parse_sums(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->views, document.views);
  EXPECT_FALSE(parse_sums(R"({"metric":"m","current_period":2,"devices":5,"views":[{}]})"));
  std::string negative = text;
  negative.replace(negative.find("[3,4]"), 5, "[-3,4]");
  EXPECT_FALSE(parse_sums(negative));
}

}  // namespace
}  // namespace futurerand
