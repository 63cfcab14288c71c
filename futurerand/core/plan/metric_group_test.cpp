#include "futurerand/core/plan/metric_group.hpp"

#include <map>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

using Members = std::vector<MetricGroup::Member>;

TEST(MetricGroup, EachMemberHasAsManyPlacesAsItsShare) {
  const MetricGroup group = *MetricGroup::create("g", {{"c", 3}, {"a", 1}, {"b", 2}});
  EXPECT_EQ(group.members(), (Members{{"a", 1}, {"b", 2}, {"c", 3}}));  // sorted
  ASSERT_EQ(group.total(), 6U);
  std::map<std::string, std::uint32_t> places;
  for (std::uint32_t place = 0; place < group.total(); ++place) ++places[group.at(place).metric];
  EXPECT_EQ(places, (std::map<std::string, std::uint32_t>{{"a", 1}, {"b", 2}, {"c", 3}}));
  EXPECT_EQ(group.share_of("c"), 0.5);
  EXPECT_EQ(group.share_of("d"), 0);
  EXPECT_TRUE(group.has("a"));
  EXPECT_FALSE(group.has("g"));
}

TEST(MetricGroup, TheOrderOfMembersMeansNothing) {
  const MetricGroup group = *MetricGroup::create("g", {{"a", 1}, {"b", 2}});
  EXPECT_EQ(group, *MetricGroup::create("g", {{"b", 2}, {"a", 1}}));
  EXPECT_NE(group, *MetricGroup::create("h", {{"b", 2}, {"a", 1}}));
  EXPECT_NE(group, *MetricGroup::create("g", {{"b", 4}, {"a", 2}}));  // pinned as written
}

TEST(MetricGroup, RefusesWhatIsNoGroup) {
  const auto why = [](std::string name, Members members) {
    const Result<MetricGroup> group = MetricGroup::create(std::move(name), std::move(members));
    return group ? std::string() : group.error().message;
  };
  EXPECT_EQ(why("g", {{"a", 1}}), "the group 'g' has 1 metrics; expected 2 to 64");
  EXPECT_EQ(why("g", Members(65)), "the group 'g' has 65 metrics; expected 2 to 64");
  EXPECT_EQ(why("", {{"a", 1}, {"b", 1}}), "the name of the group has 0 bytes; expected 1 to 128");
  EXPECT_EQ(why("g", {{"a", 1}, {"a", 2}}),
            "the group 'g' names the metric 'a' twice; expected each once");
  EXPECT_EQ(why("g", {{"a", 1}, {"b", 0}}),
            "the share of the metric 'b' is 0; expected 1 to 1000000");
  EXPECT_EQ(why("g", {{"a", 1}, {"b", 1'000'001}}),
            "the share of the metric 'b' is 1000001; expected 1 to 1000000");
  EXPECT_EQ(why("g", {{"a", 1}, {std::string(129, 'x'), 1}}),
            "the name of a metric of the group 'g' has 129 bytes; expected 1 to 128");
}

}  // namespace
}  // namespace futurerand
