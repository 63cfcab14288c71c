#include "futurerand/estimator/presence/presence.hpp"

#include <algorithm>

namespace futurerand {
namespace {

// Sums may wrap around on the way, and are right once they fit again.
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

DeviceSum sum_of(const std::vector<PresenceTable>& tables,
                 std::vector<DeviceSum> PresenceTable::*column, Period t) {
  DeviceSum sum;
  for (const PresenceTable& table : tables) sum += (table.*column)[t - 1];
  return sum;
}

}  // namespace

DeviceSum& DeviceSum::operator+=(const DeviceSum& other) {
  estimate = wrapping_sum(estimate, other.estimate);
  variance = wrapping_sum(variance, other.variance);
  devices = wrapping_sum(devices, other.devices);
  return *this;
}

Presence::Presence(std::shared_ptr<const DeviceEstimate> estimate, std::size_t num_strata)
    : estimate_(std::move(estimate)) {
  const Period periods = num_periods();
  tables_.assign(num_strata, {std::vector<DeviceSum>(periods), std::vector<DeviceSum>(periods),
                              std::vector<std::int64_t>(periods)});
}

void Presence::change(const Transcript& before, const Transcript& after) {
  // Of the periods that both have reported nothing changes.
  const Period from = std::min(before.next, after.next);
  add(before, from, -1);
  add(after, from, 1);
}

void Presence::add(const Transcript& transcript, Period from, int times) {
  if (!transcript.has_reports()) return;
  PresenceTable& table = tables_[transcript.stratum];
  DeviceSum last;
  const auto look_at = [&](Period t) {
    const DeviceEstimate::Value psi = estimate_->at(transcript, t);
    last = {times * psi.units, times * estimate_->variance(t + 1 - transcript.joined), times};
    return psi.clipped;
  };
  for (Period t = from; t < transcript.next; ++t) {
    if (look_at(t)) table.clipped[t - 1] += times;
    table.reported[t - 1] += last;
  }
  if (transcript.next > num_periods()) return;
  if (from == transcript.next) look_at(from - 1);
  table.missing[transcript.next - 1] += last;
}

void Presence::merge(const std::vector<PresenceTable>& tables) {
  for (std::size_t stratum = 0; stratum < tables_.size(); ++stratum) {
    PresenceTable& into = tables_[stratum];
    const PresenceTable& from = tables[stratum];
    for (std::size_t i = 0; i < into.reported.size(); ++i) {
      into.reported[i] += from.reported[i];
      into.missing[i] += from.missing[i];
      into.clipped[i] = wrapping_sum(into.clipped[i], from.clipped[i]);
    }
  }
}

DeviceSum Presence::reported(Period t) const {
  return sum_of(tables_, &PresenceTable::reported, t);
}

DeviceSum Presence::missing(Period t) const { return sum_of(tables_, &PresenceTable::missing, t); }

std::uint64_t Presence::clipped(Period t) const {
  std::int64_t devices = 0;
  for (const PresenceTable& table : tables_) devices += table.clipped[t - 1];
  return static_cast<std::uint64_t>(std::max<std::int64_t>(devices, 0));
}

std::uint64_t Presence::memory_bytes() const {
  return tables_.size() * num_periods() * (2 * sizeof(DeviceSum) + sizeof(std::int64_t));
}

std::optional<Presence> empty_presence(const Plan& plan, bool capped) {
  std::shared_ptr<const DeviceEstimate> estimate = DeviceEstimate::of(plan, capped);
  if (estimate == nullptr) return std::nullopt;
  return Presence(std::move(estimate));
}

}  // namespace futurerand
