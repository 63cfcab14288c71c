#include "futurerand/estimator/presence.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "futurerand/estimator/test/innovation_devices.hpp"

namespace futurerand {
namespace {

using test::folded;
using test::innovation_plan;
using test::some_devices;
using test::sparse_innovation_plan;
using test::TestDevice;

// As workers of a simulation, and the shards of a cluster, add up theirs.
TEST(Presence, OfPartsIsThatOfAll) {
  const Plan plan = sparse_innovation_plan(40);
  std::mt19937_64 random(16);
  std::vector<TestDevice> devices = some_devices(plan, 90, random);
  for (std::size_t i = 0; i < devices.size(); i += 3) {  // liars
    TestDevice& device = devices[i];
    for (Period t = device.joined; t < device.next; ++t) device.signs[t - 1] = 1;
  }
  const std::vector<TestDevice> some(devices.begin(), devices.begin() + 40),
      others(devices.begin() + 40, devices.end());
  for (const LeavingRule& rule : {LeavingRule{1, 3}, {2, 5}, {8, 3}}) {
    const Presence whole = folded(plan, devices, 41, true, rule).presence;
    Presence merged = folded(plan, some, 41, true, rule).presence;
    EXPECT_FALSE(merged == whole);
    merged.merge(folded(plan, others, 41, true, rule).presence);
    EXPECT_EQ(merged, whole);
    // Clocks may differ: rows that one of them has merged are.
    Presence ahead = folded(plan, some, 41, true, rule).presence;
    Presence behind = folded(plan, others, 20, true, rule).presence;
    Presence either = ahead;
    either.merge(behind);
    behind.merge(ahead);
    EXPECT_EQ(either, behind);
    EXPECT_EQ(either.merged(), whole.merged());
    std::int64_t beyond = 0, before = 0, in_rows = 0, in_merged = 0;
    for (Period t = 1; t <= 40; ++t) {
      beyond += whole.beyond(t).excess;
      before += whole.excess_before(t);
      in_rows += whole.row(t).excess;
      in_merged += whole.excess_of_merged(t);
    }
    EXPECT_GT(std::min({beyond, before, rule.step == 1 ? in_rows : in_merged}), 0);
  }
}

TEST(Presence, TakesOutWhatItPutIn) {
  std::mt19937_64 random(14);
  const Plan plan = innovation_plan(70);
  const auto limits = TranscriptLimits::of(plan);
  Presence presence(plan, limits, {8, 3}), half = presence, other_half = presence;
  Presence nobody = presence;
  for (Presence* each : {&presence, &half, &other_half}) each->merge_gone(30);
  const std::vector<TestDevice> devices = some_devices(plan, 100, random);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const TestDevice& device = devices[i];
    if (device.next > 70) continue;
    const std::vector<std::uint64_t> minus = device.where(-1);
    const Told told = device.told(minus);
    presence.put(told);
    (i % 2 == 0 ? half : other_half).put(told);
  }
  EXPECT_FALSE(presence == nobody);
  half.merge(other_half);
  EXPECT_EQ(half, presence);
  for (const TestDevice& device : devices) {
    if (device.next > 70) continue;
    const std::vector<std::uint64_t> minus = device.where(-1);
    if (device.next < 35) presence.merge_gone(60);
    presence.take_out(device.told(minus));
  }
  nobody.merge_rows(57);
  EXPECT_EQ(presence, nobody);
}

}  // namespace
}  // namespace futurerand
