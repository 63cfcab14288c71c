#include "futurerand/collector/writer/fair_queue.hpp"

#include <map>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

struct Numbered {
  std::uint32_t owner;
  int number;
};

TEST(FairQueue, KeepsTheOrderOfAnOwner) {
  FairQueue<Numbered> queue(100);
  for (int i = 0; i < 50; ++i) {
    queue.push(1, 30, {1, i});
    queue.push(2, 70, {2, i});
  }
  std::map<std::uint32_t, int> next;
  while (!queue.empty()) {
    for (const Numbered& job : queue.take(200)) EXPECT_EQ(job.number, next[job.owner]++);
  }
  EXPECT_EQ(next[1], 50);
  EXPECT_EQ(next[2], 50);
}

TEST(FairQueue, AddsUpTheCostsOfAnOwner) {
  FairQueue<Numbered> queue(100);
  queue.push(1, 30, {1, 0});
  queue.push(1, 5, {1, 1});
  queue.push(2, 7, {2, 0});
  EXPECT_EQ(queue.cost_of(1), 35U);
  (void)queue.take(0);
  EXPECT_EQ(queue.cost_of(1), 5U);
  EXPECT_EQ(queue.cost_of(2), 7U);
  (void)queue.take(100);
  EXPECT_EQ(queue.cost_of(1), 0U);
  EXPECT_EQ(queue.cost_of(3), 0U);
}

TEST(FairQueue, AFloodDelaysANeighbourByNoMoreThanATurn) {
  FairQueue<Numbered> queue(100);
  for (int i = 0; i < 1000; ++i) queue.push(1, 100, {1, i});
  for (int i = 0; i < 10; ++i) (void)queue.take(100);
  queue.push(2, 10, {2, 0});
  std::uint64_t before = 0;
  for (bool found = false; !found;) {
    for (const Numbered& job : queue.take(1)) {
      found = found || job.owner == 2;
      before += job.owner == 1 ? 100 : 0;
    }
  }
  EXPECT_LE(before, 200U);
}

TEST(FairQueue, SharesAreEqualWhateverTheSizesOfJobs) {
  FairQueue<Numbered> queue(64);
  for (int i = 0; i < 4000; ++i) queue.push(1, 1, {1, i});
  for (int i = 0; i < 40; ++i) queue.push(2, 1000, {2, i});
  std::map<std::uint32_t, std::uint64_t> cost;
  for (std::uint64_t total = 0; total < 3000;) {
    for (const Numbered& job : queue.take(100)) {
      const std::uint64_t one = job.owner == 1 ? 1 : 1000;
      cost[job.owner] += one;
      total += one;
    }
  }
  EXPECT_NEAR(static_cast<double>(cost[1]), static_cast<double>(cost[2]), 1064);
}

TEST(FairQueue, TakesOneThatCostsMoreThanAskedFor) {
  FairQueue<Numbered> queue(10);
  queue.push(7, 1'000'000, {7, 0});
  EXPECT_EQ(queue.take(1).size(), 1U);
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.take(1).empty());
}

}  // namespace
}  // namespace futurerand
