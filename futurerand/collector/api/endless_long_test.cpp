// Three years of days: sums stay exact, memory grows by figures alone, and all of it is read
// quickly.
#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

#include "futurerand/collector/api/test/endless_fleet.hpp"
#include "futurerand/core/plan/calendar.hpp"

namespace futurerand {
namespace {

TEST(EndlessYears, ThreeOfThemAreExactAndReadQuickly) {
  const Instant first{std::chrono::seconds(1'800'000'060)};
  test::KilledCollector collector(first);
  const ApiResponse made = collector.send(
      "PUT", "/v1/metrics/m",
      R"({"periods":90,"max_changes":1,"epsilon":"1","period_seconds":86400,"start":1800000000,)"
      R"("seasons":{"every":15,"rest":90}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const Calendar calendar = *Calendar::create(90, 15, 90);
  test::EndlessFleet fleet(collector, "m", calendar, 1000, 8);
  std::vector<std::uint64_t> bytes;
  constexpr Period kDays = 1095;
  test::run_days(collector, fleet, first, kDays, [&](Period t) {
    if (t % 180 == 1) bytes.push_back(collector.state_bytes());
  });
  for (const auto& [season, unused] : fleet.enrolled) {
    test::expect_sums(collector, fleet, season);
  }
  // From the second cycle on each adds the figures of its 12 seasons.
  for (std::size_t cycle = 2; cycle < bytes.size(); ++cycle) {
    EXPECT_LE(bytes[cycle], bytes[cycle - 1] + 12 * 90 * 64 + bytes[1] / 10) << cycle;
  }
  std::vector<double> milliseconds;
  for (int time = 0; time < 11; ++time) {
    const auto begin = std::chrono::steady_clock::now();
    const test::Json answer = collector.read("/v1/metrics/m/estimates?from=1");
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    milliseconds.push_back(took.count());
    ASSERT_EQ(answer.at("periods").size(), kDays - 1U);
  }
  std::nth_element(milliseconds.begin(), milliseconds.begin() + 5, milliseconds.end());
  RecordProperty("median_read_ms", std::to_string(milliseconds[5]));
  EXPECT_LT(milliseconds[5], 50);
}

}  // namespace
}  // namespace futurerand
