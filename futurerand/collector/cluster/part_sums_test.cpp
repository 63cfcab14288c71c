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

TEST(SumsBytes, HoldWhoLeft) {
  const Result<Plan> plan = make_plan(Protocol::kInnovation, 16, 2, *Epsilon::parse("4"));
  ASSERT_TRUE(plan);
  auto presence = std::make_shared<Presence>(*empty_presence(*plan, true));
  const std::uint64_t minus = 0b1010'0000;
  const std::uint64_t silent = 0b0100'0000;
  const bool may_be_zero = Schedule(plan->views[0], 16).may_be_zero;
  const Told told{0, 5, 9, 5, 9, &minus, may_be_zero ? &silent : nullptr};
  presence->put(told);
  presence->add_newcomers(5, told.first_report());
  presence->add_beyond(8, {-300, 2}, 40);
  Presence::Row row = presence->row(9);
  row.excess = -77;
  presence->set_row(9, row);
  const PartSums part{std::make_shared<const Sums>(*plan), presence, 12};
  const std::string bytes = to_bytes(*plan, part);
  const Result<PartSums> read = parse_sums_bytes(*plan, empty_presence(*plan, true), bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->sums, *part.sums);
  EXPECT_EQ(*read->presence, *presence);
  EXPECT_EQ(read->presence_period, 12U);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_sums_bytes(*plan, empty_presence(*plan, true), bytes.substr(0, size)))
        << size;
  }
  EXPECT_FALSE(parse_sums_bytes(*plan, std::nullopt, bytes));
}

TEST(SumsBytes, HoldWhoLeftByView) {
  Result<Plan> plan = make_plan(Protocol::kHybrid, 16, 2, *Epsilon::parse("4"));
  ASSERT_TRUE(plan);
  plan->heartbeats = true;
  auto presence = std::make_shared<Presence>(*plan);
  const std::uint64_t minus = 0b1010'0000;
  const std::uint64_t silent = 0b0100'0000;
  for (std::uint32_t view = 0; view < plan->views.size(); ++view) {
    const Schedule schedule(plan->views[view], 16);
    const std::uint32_t first = schedule.first_index(5, schedule.draws_start() ? 1 : 0);
    const std::uint32_t next = first + schedule.num_owed(first, 8) * schedule.stride;
    presence->put({view, 5, 9, first, next, &minus, schedule.may_be_zero ? &silent : nullptr});
    presence->add_missing(9, 1);
  }
  const PartSums part{std::make_shared<const Sums>(*plan), presence, 12};
  const std::string bytes = to_bytes(*plan, part);
  const Result<PartSums> read = parse_sums_bytes(*plan, Presence(*plan), bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->presence, *presence);
  EXPECT_EQ(read->presence->row(9).devices, plan->views.size());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_sums_bytes(*plan, Presence(*plan), bytes.substr(0, size))) << size;
  }
}

// With rows that are merged: those of periods 5 to 8, and of 9 up to now.
TEST(SumsBytes, HoldWhoLeftByStep) {
  const Result<Plan> plan = make_plan(Protocol::kInnovation, 16, 2, *Epsilon::parse("4"));
  ASSERT_TRUE(plan);
  const Presence empty(*plan, TranscriptLimits::of(*plan), {4, 3});
  auto presence = std::make_shared<Presence>(empty);
  const std::uint64_t minus = 0b1010'0000, silent = 0b0100'0000;
  const std::uint64_t* const quiet = Schedule(plan->views[0], 16).may_be_zero ? &silent : nullptr;
  presence->merge_rows(10);
  for (const Period next : {6U, 7U, 9U, 12U}) presence->put({0, 5, next, 5, next, &minus, quiet});
  Presence::Row row = presence->row(5);
  EXPECT_EQ(row.devices, 2U);
  row.excess_in = {3, -4, 5};
  presence->set_row(5, row);
  const std::string bytes = to_bytes(*plan, {std::make_shared<const Sums>(*plan), presence, 13});
  const Result<PartSums> read = parse_sums_bytes(*plan, empty, bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->presence, *presence);
  EXPECT_EQ(read->presence->merged(), 10U);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_sums_bytes(*plan, empty, bytes.substr(0, size))) << size;
  }
  // Rows of the same size that stand where the step's first one does, and merged past the horizon.
  const std::size_t merged = bytes.find("\r\n");  // after the period 13
  ASSERT_NE(merged, bytes.npos);
  for (const char through : {'\0', '\x11'}) {
    std::string wrong = bytes;
    wrong[merged + 1] = through;
    EXPECT_FALSE(parse_sums_bytes(*plan, empty, wrong));
  }
  const auto is_taken = [&](const Presence& other) {
    const PartSums part{std::make_shared<const Sums>(*plan), std::make_shared<Presence>(other), 13};
    return static_cast<bool>(parse_sums_bytes(*plan, empty, to_bytes(*plan, part)));
  };
  EXPECT_TRUE(is_taken(*presence));
  Presence stray = *presence;
  stray.set_row(6, row);
  stray.set_row(5, {});
  EXPECT_FALSE(is_taken(stray));
  row.excess_in[1] = std::int64_t{1} << 51;
  Presence huge = *presence;
  huge.set_row(5, row);
  EXPECT_FALSE(is_taken(huge));
}

}  // namespace
}  // namespace futurerand
