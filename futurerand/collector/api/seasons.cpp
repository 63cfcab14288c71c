#include "futurerand/collector/api/seasons.hpp"

#include <utility>

namespace futurerand {
namespace {

std::uint64_t devices_in(const Plan& plan, const Sums& sums) {
  std::uint64_t devices = 0;
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    for (Period t = 1; t <= plan.num_periods; ++t) devices += sums.enrolled_in(view, t);
  }
  return devices;
}

// Calls visit(season number, its snapshot) for those that are not final.
template <typename Visit>
void for_each_season(const Snapshot& snapshot, const MetricDefinition& endless,
                     const Visit& visit) {
  const std::string begin = endless.name + '#';
  for (auto at = snapshot.numbers->lower_bound(begin);
       at != snapshot.numbers->end() && at->first.starts_with(begin); ++at) {
    const auto name = season_named(at->first);
    const std::shared_ptr<const MetricSnapshot>& season = snapshot.metrics[at->second];
    // An earlier metric of this name had other sources.
    if (name && season->definition->sources == endless.sources) visit(name->season, season);
  }
}

}  // namespace

std::shared_ptr<const MetricSnapshot> find_metric(const Snapshot& snapshot,
                                                  const std::string& name) {
  if (auto found = snapshot.find(name)) return found;
  const auto season = season_named(name);
  if (!season) return nullptr;
  const std::shared_ptr<const MetricSnapshot> endless = snapshot.find(season->metric);
  if (endless == nullptr || endless->final_seasons == nullptr) return nullptr;
  const auto at = endless->final_seasons->find(season->season);
  if (at == endless->final_seasons->end()) return nullptr;
  auto definition =
      std::make_shared<const MetricDefinition>(season_metric(*endless->definition, season->season));
  const std::uint64_t devices = devices_in(definition->plan, at->second->sums);
  MetricLifecycle lifecycle{definition};
  lifecycle.ended = definition->closed_period();
  lifecycle.candidates = endless->candidates;
  MetricSnapshot found{std::move(lifecycle), endless->number, at->second->sums, devices, 1, {}};
  found.final_panel = at->second->panel;
  return std::make_shared<const MetricSnapshot>(std::move(found));
}

SeasonSnapshots seasons_of(const Snapshot& snapshot, const MetricSnapshot& endless) {
  SeasonSnapshots seasons;
  for_each_season(snapshot, *endless.definition,
                  [&](std::int64_t season, const auto& of) { seasons.emplace(season, of); });
  return seasons;
}

MetricTotals totals_of(const Snapshot& snapshot, const MetricSnapshot& metric, Instant now) {
  MetricTotals totals{metric.devices, metric.lines, metric.version};
  if (!metric.definition->seasons) return totals;
  for (const auto& [number, season] : seasons_of(snapshot, metric)) {
    totals.lines += season->lines;
    totals.version += season->version;
    if (season->state(now) == "open") totals.devices += season->devices;
  }
  return totals;
}

std::vector<LiveSeason> live_seasons(const Snapshot& snapshot, const MetricSnapshot& endless,
                                     Instant now) {
  std::vector<LiveSeason> live;
  const Calendar& calendar = *endless.definition->seasons;
  const Period current = endless.current_period(now);
  if (current == 0 || endless.is_closed(now)) return live;
  const SeasonSnapshots seasons = seasons_of(snapshot, endless);
  const std::int64_t first = calendar.first_live(current);
  for (std::int64_t s = first; s < first + calendar.num_live(); ++s) {
    const auto at = seasons.find(s);
    live.push_back(
        {s, calendar.first(s), calendar.last(s), at == seasons.end() ? 0 : at->second->devices});
  }
  return live;
}

std::shared_ptr<const Panel> SeasonPanels::of_season(const MetricSnapshot& season, Period current) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = made_.find(season.number);
    if (at != made_.end() && at->second.version == season.version &&
        at->second.current == current) {
      return at->second.panel;
    }
  }
  const MetricDefinition& definition = *season.definition;
  auto panel = std::make_shared<const Panel>(panel_of(
      definition.plan, {season.sums, season.presence.get(), current}, definition.inactive_after));
  const std::lock_guard lock(mutex_);
  made_[season.number] = {season.version, current, panel};
  return panel;
}

Panels SeasonPanels::of(const Snapshot& snapshot, const MetricSnapshot& endless, Instant now) {
  Panels panels{*endless.definition->seasons,
                endless.current_period(now),
                endless.presence == nullptr ? nullptr : &endless.presence->estimate(),
                {},
                endless.definition->asked_share()};
  if (endless.final_seasons != nullptr) {
    for (const auto& [number, season] : *endless.final_seasons) {
      panels.seasons.emplace(number, season->panel);
    }
  }
  for (const auto& [number, season] : seasons_of(snapshot, endless)) {
    const auto panel = of_season(*season, season->current_period(now));
    const auto [at, is_new] = panels.seasons.try_emplace(number, panel);
    if (is_new) continue;
    // Some shards of a cluster have made it final.
    Panel both = *at->second;
    add(both, *panel);
    at->second = std::make_shared<const Panel>(std::move(both));
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(made_, [&](const auto& made) {
    return made.first >= snapshot.metrics.size() || snapshot.metrics[made.first] == nullptr;
  });
  return panels;
}

}  // namespace futurerand
