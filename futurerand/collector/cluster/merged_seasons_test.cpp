// Seasons of a cluster: each shard makes its part of a season final by itself. Readers see every
// device once, whichever rows they have.
#include <gtest/gtest.h>

#include "futurerand/collector/cluster/merged_snapshot.hpp"
#include "futurerand/collector/writer/metric_presence.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace futurerand {
namespace {

constexpr Instant kNow{std::chrono::seconds(1'800'000'000)};

MetricDefinition endless() {
  MetricDefinition metric =
      *define_metric("m",
                     R"({"periods":6,"max_changes":1,"epsilon":"1","period_seconds":86400,)"
                     R"("seasons":{"every":2,"rest":6}})",
                     kNow);
  metric.sources = {"one"};
  return metric;
}

CatalogueMetric listed(const MetricDefinition& definition) {
  return {{std::make_shared<const MetricDefinition>(definition)}};
}

// The sums of this many devices that joined in period 1 and sent one plus.
PartSums part(const MetricDefinition& definition, std::uint64_t devices) {
  Sums sums(definition.plan);
  sums.enrol(0, 1, 0, devices);
  sums.add(0, 1, static_cast<std::int64_t>(devices), devices);
  return {std::make_shared<const Sums>(sums),
          std::make_shared<const Presence>(*empty_presence(definition))};
}

PartSums finals(const MetricDefinition& metric, std::int64_t season, std::uint64_t devices) {
  PartSums whole{std::make_shared<const Sums>(metric.plan),
                 std::make_shared<const Presence>(*empty_presence(metric))};
  FinalSeasons seasons;
  if (devices > 0) {
    const auto count = static_cast<double>(devices);
    seasons.emplace(season, std::make_shared<const FinalSeason>(FinalSeason{
                                *part(metric, devices).sums,
                                std::make_shared<const Panel>(Panel{{{1, 2, count, count}}, {}})}));
  }
  whole.final_seasons = std::make_shared<const FinalSeasons>(std::move(seasons));
  return whole;
}

TEST(MergedSeasons, CountEveryDeviceOnce) {
  const MetricDefinition metric = endless();
  const MetricDefinition season = season_metric(metric, 3);
  const CatalogueMetrics metrics = {listed(metric), listed(season)};
  MergedSnapshot merged;
  std::map<std::uint32_t, ShardSums> shards;
  shards[0].metrics = {finals(metric, 3, 0), part(season, 10)};
  shards[1].metrics = {finals(metric, 3, 0), part(season, 20)};
  const auto counting = merged.merge(metrics, shards, {});
  ASSERT_NE(counting->find("m#3"), nullptr);
  EXPECT_EQ(counting->find("m#3")->devices, 30U);
  EXPECT_TRUE(counting->find("m")->final_seasons->empty());

  // Shard 1 makes its part final. A reader keeps its old sums of the season.
  shards[1].metrics[0] = finals(metric, 3, 20);
  const auto half = merged.merge(metrics, shards, {});
  EXPECT_EQ(half->find("m#3")->devices, 10U);
  const FinalSeasons& some = *half->find("m")->final_seasons;
  EXPECT_EQ(some.at(3)->sums.at(0, 1).count, 20U);

  // So does shard 0: the season is no metric any more.
  shards[0].metrics[0] = finals(metric, 3, 10);
  const auto all = merged.merge(metrics, shards, {});
  EXPECT_EQ(all->find("m#3"), nullptr);
  const FinalSeason& whole = *all->find("m")->final_seasons->at(3);
  EXPECT_EQ(whole.sums.at(0, 1).count, 30U);
  EXPECT_EQ(whole.panel->periods.at(0), (PanelPeriod{2, 4, 30, 30}));
}

TEST(MergedSeasons, RowsComeBack) {
  const MetricDefinition metric = endless();
  const PartSums whole = finals(metric, 3, 20);
  const std::string bytes = to_bytes(metric.plan, whole);
  const Result<PartSums> read = parse_sums_bytes(metric.plan, empty_presence(metric), bytes, true);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->final_seasons->at(3)->sums, whole.final_seasons->at(3)->sums);
  EXPECT_EQ(*read->final_seasons->at(3)->panel, *whole.final_seasons->at(3)->panel);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(
        parse_sums_bytes(metric.plan, empty_presence(metric), bytes.substr(0, size), true));
  }
  EXPECT_FALSE(parse_sums_bytes(metric.plan, empty_presence(metric), bytes + '\1', true));
}

}  // namespace
}  // namespace futurerand
