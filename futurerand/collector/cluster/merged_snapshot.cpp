#include "futurerand/collector/cluster/merged_snapshot.hpp"

#include <algorithm>

#include "futurerand/collector/writer/metric_presence.hpp"

namespace futurerand {
namespace {

std::uint64_t devices_in(const Plan& plan, const Sums& sums) {
  std::uint64_t devices = 0;
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    for (Period t = 1; t <= plan.num_periods; ++t) devices += sums.enrolled_in(view, t);
  }
  return devices;
}

bool has_nobody(const PartSums& part) { return part.sums->enrolled_by_period().back() == 0; }

// The number of the metric that each season belongs to; size() of those that are none.
std::vector<std::uint32_t> owners_of(const CatalogueMetrics& metrics) {
  const auto none = static_cast<std::uint32_t>(metrics.size());
  std::map<std::string, std::uint32_t> endless;
  for (std::uint32_t number = 0; number < metrics.size(); ++number) {
    const CatalogueMetric& metric = metrics[number];
    if (!metric.deleted && metric.definition->seasons) endless[metric.definition->name] = number;
  }
  std::vector<std::uint32_t> owners(metrics.size(), none);
  if (endless.empty()) return owners;
  for (std::uint32_t number = 0; number < metrics.size(); ++number) {
    const auto name = season_named(metrics[number].definition->name);
    if (!name) continue;
    const auto at = endless.find(name->metric);
    if (at == endless.end()) continue;
    const bool is_its_season =
        metrics[at->second].definition->sources == metrics[number].definition->sources;
    if (is_its_season) owners[number] = at->second;
  }
  return owners;
}

// Whether a shard has made this season final: its own sums of the season are old then.
bool is_final_in(const ShardSums& shard, std::uint32_t endless, std::int64_t season) {
  if (endless >= shard.metrics.size()) return false;
  const auto& seasons = shard.metrics[endless].final_seasons;
  return seasons != nullptr && seasons->contains(season);
}

bool same_counts(const LineCounts& a, const LineCounts& b) {
  return a.accepted == b.accepted && a.duplicates == b.duplicates && a.rejected == b.rejected &&
         a.early == b.early;
}

}  // namespace

std::shared_ptr<const Snapshot> MergedSnapshot::merge(
    const CatalogueMetrics& metrics, const std::map<std::uint32_t, ShardSums>& shards,
    const std::vector<LineCounts>& lines) {
  auto snapshot = std::make_shared<Snapshot>();
  if (last_ != nullptr) *snapshot = *last_;
  const std::size_t known = snapshot->metrics.size();
  snapshot->sequence = 0;
  for (const auto& [shard, sums] : shards) snapshot->sequence += sums.sequence;
  snapshot->metrics.resize(metrics.size());
  parts_.resize(metrics.size());
  bool changed = last_ == nullptr || known != metrics.size();
  const std::vector<std::uint32_t> owners = owners_of(metrics);
  for (std::uint32_t number = 0; number < metrics.size(); ++number) {
    const CatalogueMetric& metric = metrics[number];
    if (metric.deleted) {
      changed = changed || snapshot->metrics[number] != nullptr;
      snapshot->metrics[number] = nullptr;
      parts_[number].clear();
      continue;
    }
    Parts parts;
    const bool is_season = owners[number] < metrics.size();
    const std::int64_t season = is_season ? season_named(metric.definition->name)->season : 0;
    bool is_final = false;
    for (const auto& [shard, sums] : shards) {
      if (is_season && is_final_in(sums, owners[number], season)) {
        is_final = true;
        continue;
      }
      if (number < sums.metrics.size() && sums.metrics[number].sums != nullptr) {
        parts.push_back(sums.metrics[number]);
      }
    }
    if (is_final && std::all_of(parts.begin(), parts.end(), has_nobody)) {
      changed = changed || snapshot->metrics[number] != nullptr;
      snapshot->metrics[number] = nullptr;
      parts_[number].clear();
      continue;
    }
    const LineCounts counts = number < lines.size() ? lines[number] : LineCounts{};
    const std::shared_ptr<const MetricSnapshot> old = snapshot->metrics[number];
    const MetricLifecycle& lifecycle = metric;
    if (old != nullptr && parts == parts_[number] && *old == lifecycle &&
        same_counts(old->lines, counts)) {
      continue;
    }
    const Plan& plan = metric.definition->plan;
    Sums all(plan);
    std::shared_ptr<Presence> presence;
    if (std::optional<Presence> empty = empty_presence(*metric.definition)) {
      presence = std::make_shared<Presence>(*std::move(empty));
    }
    std::shared_ptr<FinalSeasons> final_seasons;
    if (metric.definition->seasons) final_seasons = std::make_shared<FinalSeasons>();
    for (const PartSums& part : parts) {
      all.merge(*part.sums);
      if (part.final_seasons != nullptr) add(plan, *final_seasons, *part.final_seasons);
      if (presence != nullptr && part.presence != nullptr) presence->merge(*part.presence);
    }
    const std::uint64_t devices = devices_in(plan, all);
    snapshot->metrics[number] = std::make_shared<const MetricSnapshot>(MetricSnapshot{
        lifecycle, number, std::move(all), devices, old == nullptr ? 1 : old->version + 1, counts,
        std::move(presence), std::move(final_seasons)});
    parts_[number] = std::move(parts);
    changed = true;
  }
  if (!changed && snapshot->sequence == last_->sequence) return last_;
  if (changed) {
    auto numbers = std::make_shared<std::map<std::string, std::uint32_t, std::less<>>>();
    for (std::uint32_t number = 0; number < metrics.size(); ++number) {
      if (metrics[number].deleted || snapshot->metrics[number] == nullptr) continue;
      numbers->emplace(metrics[number].definition->name, number);
    }
    snapshot->numbers = std::move(numbers);
  }
  last_ = std::move(snapshot);
  return last_;
}

}  // namespace futurerand
