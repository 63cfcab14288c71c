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
  for (std::uint32_t number = 0; number < metrics.size(); ++number) {
    const CatalogueMetric& metric = metrics[number];
    if (metric.deleted) {
      changed = changed || snapshot->metrics[number] != nullptr;
      snapshot->metrics[number] = nullptr;
      parts_[number].clear();
      continue;
    }
    Parts parts;
    for (const auto& [shard, sums] : shards) {
      if (number < sums.metrics.size() && sums.metrics[number].sums != nullptr) {
        parts.push_back(sums.metrics[number]);
      }
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
    for (const PartSums& part : parts) {
      all.merge(*part.sums);
      if (presence != nullptr && part.presence != nullptr) presence->merge(*part.presence);
    }
    const std::uint64_t devices = devices_in(plan, all);
    snapshot->metrics[number] = std::make_shared<const MetricSnapshot>(
        MetricSnapshot{lifecycle, number, std::move(all), devices,
                       old == nullptr ? 1 : old->version + 1, counts, std::move(presence)});
    parts_[number] = std::move(parts);
    changed = true;
  }
  if (!changed && snapshot->sequence == last_->sequence) return last_;
  if (changed) {
    auto numbers = std::make_shared<std::map<std::string, std::uint32_t, std::less<>>>();
    for (std::uint32_t number = 0; number < metrics.size(); ++number) {
      if (metrics[number].deleted) continue;
      numbers->emplace(metrics[number].definition->name, number);
    }
    snapshot->numbers = std::move(numbers);
  }
  last_ = std::move(snapshot);
  return last_;
}

}  // namespace futurerand
