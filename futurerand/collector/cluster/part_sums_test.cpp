#include "futurerand/collector/cluster/part_sums.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(SumsBytes, ComeBackAsTheyWere) {
  for (const Protocol protocol : {Protocol::kHybrid, Protocol::kInnovation, Protocol::kOptimal}) {
    const Result<Plan> plan = make_plan(protocol, 16, 2, *Epsilon::parse("4"));
    ASSERT_TRUE(plan);
    Sums sums(*plan);
    for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
      const Schedule schedule(plan->views[view], 16);
      sums.enrol(view, 3 + view % 4, schedule.draws_start() ? 1 : 0, 5 + view);
      for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
        sums.add(view, index, {-static_cast<int>(index), 300 + index, 200 + index});
      }
    }
    const std::string bytes = to_bytes(*plan, PartSums{std::make_shared<const Sums>(sums)});
    const Result<PartSums> read = parse_sums_bytes(*plan, std::nullopt, bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read->sums, sums);
    EXPECT_EQ(read->presence, nullptr);
    EXPECT_FALSE(parse_sums_bytes(*plan, std::nullopt, bytes + '\1'));
    EXPECT_FALSE(parse_sums_bytes(*plan, std::nullopt, bytes.substr(0, bytes.size() - 1)));
    if (protocol != Protocol::kInnovation) continue;
    EXPECT_FALSE(parse_sums_bytes(*plan, empty_presence(*plan, false), bytes));
  }
}

TEST(SumsBytes, HoldEachSegment) {
  Plan plan = *make_plan(Protocol::kInnovation, 16, 2, *Epsilon::parse("4"));
  plan.segments = *Segments::create("platform", {"linux", "mac", "windows"});
  auto sums = std::make_shared<Sums>(plan);
  const std::optional<Presence> empty = empty_presence(plan, true);
  auto presence = std::make_shared<Presence>(*empty);
  for (std::uint32_t g = 0; g < 3; ++g) {
    sums->enrol(0, 2 + g, 0, 10 + g, g);
    sums->add(0, 3 + g, {-2, 8 + g, 6}, g);
    const std::uint64_t minus = 0b1010'0000, zero = 0;
    const Transcript transcript{.joined = 5,
                                .next = 9 + g,
                                .minus = &minus,
                                .zero = presence->estimate().has_zeros() ? &zero : nullptr,
                                .stratum = g};
    presence->change(transcript.before(5), transcript);
  }
  const std::string bytes = to_bytes(plan, PartSums{sums, presence});
  const Result<PartSums> read = parse_sums_bytes(plan, empty, bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->sums, *sums);
  EXPECT_EQ(read->sums->stratum(2), sums->stratum(2));
  EXPECT_EQ(*read->presence, *presence);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_sums_bytes(plan, empty, bytes.substr(0, size))) << size;
  }
  Plan fewer = plan;
  fewer.segments = *Segments::create("platform", {"linux", "mac"});
  EXPECT_FALSE(parse_sums_bytes(fewer, empty_presence(fewer, true), bytes));
}

TEST(SumsBytes, HoldPresence) {
  const Result<Plan> plan = make_plan(Protocol::kInnovation, 16, 2, *Epsilon::parse("4"));
  ASSERT_TRUE(plan);
  const std::optional<Presence> empty = empty_presence(*plan, true);
  auto presence = std::make_shared<Presence>(*empty);
  const std::uint64_t minus = 0b1010'0000, zero = 0b0100'0000;
  const bool has_zeros = presence->estimate().has_zeros();
  const Transcript transcript{5, 9, &minus, has_zeros ? &zero : nullptr};
  presence->change(transcript.before(5), transcript);
  // What another shard had added is taken out here.
  presence->change(transcript.before(7), transcript.before(5));
  EXPECT_LT(presence->missing(7).devices, 0);
  const PartSums part{std::make_shared<const Sums>(*plan), presence};
  const std::string bytes = to_bytes(*plan, part);
  const Result<PartSums> read = parse_sums_bytes(*plan, empty, bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->sums, *part.sums);
  EXPECT_EQ(*read->presence, *presence);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_sums_bytes(*plan, empty, bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_sums_bytes(*plan, empty, bytes + '\1'));
  EXPECT_FALSE(parse_sums_bytes(*plan, std::nullopt, bytes));

  // More devices than there can be.
  const auto is_accepted = [&](const std::vector<PresenceTable>& tables) {
    auto other = std::make_shared<Presence>(*empty);
    other->merge(tables);
    const PartSums wrong{std::make_shared<const Sums>(*plan), other};
    return static_cast<bool>(parse_sums_bytes(*plan, empty, to_bytes(*plan, wrong)));
  };
  EXPECT_TRUE(is_accepted(presence->tables()));
  constexpr std::int64_t kTooMany = std::int64_t{1} << 49;
  std::vector<PresenceTable> many = presence->tables();
  many[0].reported[3].devices = kTooMany;
  EXPECT_FALSE(is_accepted(many));
  many = presence->tables();
  many[0].missing[3].devices = -kTooMany;
  EXPECT_FALSE(is_accepted(many));
  many = presence->tables();
  many[0].clipped[3] = kTooMany;
  EXPECT_FALSE(is_accepted(many));
}

}  // namespace
}  // namespace futurerand
