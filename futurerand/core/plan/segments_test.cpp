#include "futurerand/core/plan/segments.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

const std::string kFormOfText =
    " bytes; expected 1 to 64 bytes of UTF-8 without control characters, '\"', '\\', ',' and '='";

std::string error_of(std::string name, std::vector<std::string> values) {
  const Result<Segments> segments = Segments::create(std::move(name), std::move(values));
  return segments ? "none" : segments.error().message;
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back("v" + std::to_string(i));
  return values;
}

TEST(Segments, KnowTheStratumOfEachValue) {
  const Segments segments = *Segments::create("platform", {"linux", "mac", "Côte d'Ivoire"});
  EXPECT_EQ(segments.num_strata(), 3U);
  EXPECT_EQ(*segments.stratum("linux"), 0U);
  EXPECT_EQ(*segments.stratum("Côte d'Ivoire"), 2U);
  EXPECT_EQ(
      segments.stratum("amiga").error().message,
      "the segment 'amiga' is unknown; expected platform as one of linux, mac, Côte d'Ivoire");
  EXPECT_EQ(segments.stratum("").error().message,
            "the segment is missing; expected platform as one of linux, mac, Côte d'Ivoire");
  EXPECT_FALSE(segments.stratum(std::string(65, 'x')));
  EXPECT_FALSE(segments.stratum("a\nb"));
  EXPECT_EQ(segments, *Segments::create("platform", {"linux", "mac", "Côte d'Ivoire"}));
  EXPECT_FALSE(segments == *Segments::create("platform", {"mac", "linux", "Côte d'Ivoire"}));
  EXPECT_FALSE(segments == Segments());
}

TEST(Segments, NoneAreOneStratumOfThoseWhoStateNothing) {
  const Segments none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.num_strata(), 1U);
  EXPECT_EQ(*none.stratum(""), 0U);
  EXPECT_EQ(none.stratum("linux").error().message,
            "the metric has no segments; expected none to be stated");
  EXPECT_EQ(none, Segments());
}

TEST(Segments, BadInputSaysWhatWasExpected) {
  EXPECT_EQ(error_of("platform", numbered(256)), "none");
  EXPECT_EQ(error_of("platform", numbered(257)), "the attribute has 257 values; expected 1 to 256");
  EXPECT_EQ(error_of("platform", {}), "the attribute has 0 values; expected 1 to 256");
  EXPECT_EQ(error_of("", {"a"}), "the name of the attribute has 0" + kFormOfText);
  EXPECT_EQ(error_of("a=b", {"a"}), "the name of the attribute has 3" + kFormOfText);
  EXPECT_EQ(error_of("platform", {"a", ""}), "value 2 has 0" + kFormOfText);
  EXPECT_EQ(error_of("platform", {"a", "b,c"}), "value 2 has 3" + kFormOfText);
  EXPECT_EQ(error_of("platform", {"a\"b"}), "value 1 has 3" + kFormOfText);
  EXPECT_EQ(error_of("platform", {"a\\b"}), "value 1 has 3" + kFormOfText);
  EXPECT_EQ(error_of("platform", {"\xff"}), "value 1 has 1" + kFormOfText);
  EXPECT_EQ(error_of("platform", {std::string(65, 'x')}), "value 1 has 65" + kFormOfText);
  EXPECT_EQ(error_of("platform", {"mac", "linux", "mac"}),
            "the value 'mac' occurs twice; expected distinct values");
}

TEST(Segments, AFlagNamesThem) {
  const Result<Segments> parsed = Segments::parse("platform=linux,mac,windows 11");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->name(), "platform");
  EXPECT_EQ(parsed->values(), (std::vector<std::string>{"linux", "mac", "windows 11"}));
  for (const char* wrong : {"", "platform", "platform=", "=a", "p=a,,b", "p=a,a", "p=a=b"}) {
    EXPECT_FALSE(Segments::parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace futurerand
