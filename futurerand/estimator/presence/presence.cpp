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

// Empty sums are all zero.
bool add_rows(const std::vector<std::int64_t>& more, std::vector<std::int64_t>& sums) {
  if (more.empty()) return true;
  if (sums.empty()) sums.resize(more.size());
  if (sums.size() != more.size()) return false;
  for (std::size_t row = 0; row < more.size(); ++row)
    sums[row] = wrapping_sum(sums[row], more[row]);
  return true;
}

bool same_rows(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  if (a.size() == b.size()) return a == b;
  return are_zero(a) && are_zero(b);
}

}  // namespace

bool are_zero(const std::vector<std::int64_t>& sums) {
  return std::all_of(sums.begin(), sums.end(), [](std::int64_t sum) { return sum == 0; });
}

bool operator==(const RowSums& a, const RowSums& b) {
  return same_rows(a.reported, b.reported) && same_rows(a.missing, b.missing);
}

DeviceSum& DeviceSum::operator+=(const DeviceSum& other) {
  estimate = wrapping_sum(estimate, other.estimate);
  variance = wrapping_sum(variance, other.variance);
  devices = wrapping_sum(devices, other.devices);
  return *this;
}

Presence::Presence(std::shared_ptr<const DeviceEstimate> estimate, std::size_t num_strata,
                   std::size_t num_codes)
    : estimate_(std::move(estimate)), num_codes_(num_codes) {
  const Period periods = num_periods();
  tables_.assign(num_strata, {std::vector<DeviceSum>(periods), std::vector<DeviceSum>(periods),
                              std::vector<std::int64_t>(periods),
                              std::vector<RowSums>(num_codes > 0 ? periods : 0)});
}

void Presence::change(const Transcript& before, const Transcript& after) {
  // Periods with a report in both are unchanged.
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
  const auto add_row = [&](std::vector<std::int64_t> RowSums::*column, Period t) {
    if (num_codes_ == 0) return;
    std::vector<std::int64_t>& sums = table.rows[t - 1].*column;
    sums.resize(num_codes_);
    std::int64_t& sum = sums[transcript.row];
    sum = wrapping_sum(sum, last.estimate - times * estimate_->half());
  };
  for (Period t = from; t < transcript.next; ++t) {
    if (look_at(t)) table.clipped[t - 1] += times;
    table.reported[t - 1] += last;
    add_row(&RowSums::reported, t);
  }
  if (transcript.next > num_periods() || transcript.departed) return;
  if (from == transcript.next) look_at(from - 1);
  table.missing[transcript.next - 1] += last;
  add_row(&RowSums::missing, transcript.next);
}

bool PresenceTable::add(const PresenceTable& other) {
  if (reported.size() != other.reported.size() || missing.size() != other.missing.size() ||
      clipped.size() != other.clipped.size() || rows.size() != other.rows.size()) {
    return false;
  }
  for (std::size_t i = 0; i < reported.size(); ++i) reported[i] += other.reported[i];
  for (std::size_t i = 0; i < missing.size(); ++i) missing[i] += other.missing[i];
  for (std::size_t i = 0; i < clipped.size(); ++i) {
    clipped[i] = wrapping_sum(clipped[i], other.clipped[i]);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!add_rows(other.rows[i].reported, rows[i].reported) ||
        !add_rows(other.rows[i].missing, rows[i].missing)) {
      return false;
    }
  }
  return true;
}

bool PresenceTable::has_size_of(const PresenceTable& empty, std::size_t num_codes) const {
  const auto fits = [&](const std::vector<std::int64_t>& sums) {
    return sums.empty() || sums.size() == num_codes;
  };
  return reported.size() == empty.reported.size() && missing.size() == empty.missing.size() &&
         clipped.size() == empty.clipped.size() && rows.size() == empty.rows.size() &&
         std::all_of(rows.begin(), rows.end(),
                     [&](const RowSums& at) { return fits(at.reported) && fits(at.missing); });
}

void Presence::merge(const std::vector<PresenceTable>& tables) {
  for (std::size_t stratum = 0; stratum < tables_.size(); ++stratum) {
    tables_[stratum].add(tables[stratum]);
  }
}

Presence Presence::stratum(std::uint32_t number) const { return {*this, number}; }

DeviceSum Presence::reported(Period t) const {
  return sum_of(tables_, &PresenceTable::reported, t);
}

DeviceSum Presence::missing(Period t) const { return sum_of(tables_, &PresenceTable::missing, t); }

std::uint64_t Presence::clipped(Period t) const {
  std::int64_t devices = 0;
  for (const PresenceTable& table : tables_) devices += table.clipped[t - 1];
  return static_cast<std::uint64_t>(std::max<std::int64_t>(devices, 0));
}

void Presence::add_reported_rows(Period t, std::vector<std::int64_t>& sums) const {
  for (const PresenceTable& table : tables_) add_rows(table.rows[t - 1].reported, sums);
}

void Presence::add_missing_rows(Period t, std::vector<std::int64_t>& sums) const {
  for (const PresenceTable& table : tables_) add_rows(table.rows[t - 1].missing, sums);
}

std::uint64_t Presence::memory_bytes() const {
  std::uint64_t bytes =
      tables_.size() * num_periods() * (2 * sizeof(DeviceSum) + sizeof(std::int64_t));
  for (const PresenceTable& table : tables_) {
    for (const RowSums& rows : table.rows) {
      bytes += (rows.reported.size() + rows.missing.size()) * sizeof(std::int64_t);
    }
  }
  return bytes;
}

std::uint64_t presence_bytes(const Plan& plan) {
  const std::uint64_t by_row =
      plan.coding.has_rows() ? 2 * sizeof(std::int64_t) * plan.coding.num_codes() : 0;
  return plan.segments.num_strata() * plan.num_periods *
         (2 * sizeof(DeviceSum) + sizeof(std::int64_t) + by_row);
}

std::optional<Presence> empty_presence(const Plan& plan, bool capped) {
  std::shared_ptr<const DeviceEstimate> estimate = DeviceEstimate::of(plan, capped);
  if (estimate == nullptr) return std::nullopt;
  return Presence(std::move(estimate), plan.segments.num_strata(),
                  plan.coding.has_rows() ? plan.coding.num_codes() : 0);
}

}  // namespace futurerand
