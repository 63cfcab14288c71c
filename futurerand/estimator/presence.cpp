#include "futurerand/estimator/presence.hpp"

#include <algorithm>

#include "futurerand/core/plan/gone.hpp"

namespace futurerand {
namespace {

template <typename Number>
void add_each(std::vector<Number>& to, const std::vector<Number>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

}  // namespace

Presence::Presence(const Plan& plan, std::shared_ptr<const TranscriptLimits> limits)
    : heartbeats_(plan.heartbeats),
      newcomers_(plan.heartbeats ? 0 : plan.num_periods),
      missing_(plan.heartbeats ? plan.num_periods : 0),
      rows_(plan.num_periods),
      limits_(std::move(limits)),
      beyond_(limits_ ? plan.num_periods : 0),
      before_(limits_ ? plan.num_periods : 0) {
  for (const View& view : plan.views) {
    views_.emplace_back(view, plan.num_periods);
    may_be_silent_ |= views_.back().may_be_silent;
  }
}

std::size_t Presence::begin_of(std::uint32_t view, Period left) const {
  std::size_t begin = 0;
  for (std::uint32_t before = 0; before < view; ++before) begin += views_[before].last_due(left);
  return begin;
}

std::size_t Presence::num_indices(Period left) const {
  return begin_of(static_cast<std::uint32_t>(views_.size()), left);
}

void Presence::move(const Told& told, int times) {
  Row& row = rows_[told.next - 1];
  if (row.devices == 0) {
    const std::size_t indices = num_indices(told.next);
    row.sums.resize(indices);
    row.silent.resize(may_be_silent_ ? indices : 0);
    row.told.resize(heartbeats_ ? indices : 0);
    row.joined.resize(num_joined(told.next));
  }
  const auto devices =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(times));  // wraps around
  row.devices += devices;
  row.joined[std::size_t{told.view} * told.next + told.joined - 1] += devices;
  const std::size_t begin = begin_of(told.view, told.next);
  const std::uint32_t stride = views_[told.view].stride;
  for (std::uint32_t index = told.first_index; index < told.next_index; index += stride) {
    const std::size_t at = begin + index - 1;
    if (heartbeats_) row.told[at] += devices;
    if (told.is_silent(index)) {
      row.silent[at] += devices;
    } else {
      row.sums[at] += told.is_minus(index) ? -times : times;
    }
  }
  if (limits_ && told.next > told.joined) {
    row.excess += times * limits_->excess(told, told.next - 1);
  }
  if (row.devices == 0) row = {};  // all of it is zero now
}

void Presence::hear(const Told& told, Period from, int times) {
  before_[from - 1] -= times * limits_->excess_before(told, from);
  for (Period t = from; t < told.next; ++t) {
    const std::int64_t excess = limits_->excess(told, t);
    if (excess == 0) continue;
    Beyond& at = beyond_[t - 1];
    at.excess += times * excess;
    at.devices += static_cast<std::uint64_t>(std::int64_t{times});  // wraps around
  }
  if (told.next <= num_periods()) {
    before_[told.next - 1] += times * limits_->excess_before(told, told.next);
  }
}

void Presence::add_beyond(Period period, const Beyond& beyond, std::int64_t excess_before) {
  beyond_[period - 1].excess += beyond.excess;
  beyond_[period - 1].devices += beyond.devices;
  before_[period - 1] += excess_before;
}

void Presence::add_newcomers(Period period, const IndexSum& reports) {
  IndexSum& at = newcomers_[period - 1];
  at.sum += reports.sum;
  at.count += reports.count;
  at.spoken += reports.spoken;
}

void Presence::merge(const Presence& other) {
  add_each(missing_, other.missing_);
  for (Period t = 1; t <= num_periods(); ++t) {
    if (!heartbeats_) add_newcomers(t, other.newcomers(t));
    Row& row = rows_[t - 1];
    const Row& from = other.row(t);
    row.devices += from.devices;
    add_each(row.sums, from.sums);
    add_each(row.silent, from.silent);
    add_each(row.told, from.told);
    add_each(row.joined, from.joined);
    row.excess += from.excess;
    if (limits_) add_beyond(t, other.beyond(t), other.excess_before(t));
  }
}

void Presence::subtract_row(Period left, Sums& sums) const {
  const Row& row = rows_[left - 1];
  if (row.devices == 0) return;
  std::size_t at = 0;
  for (std::uint32_t view = 0; view < views_.size(); ++view) {
    const Schedule& schedule = views_[view];
    const std::uint64_t* joined_in = row.joined.data() + std::size_t{view} * left;
    std::uint64_t joined = 0;
    for (Period t = 1; t <= left; ++t) {
      sums.take_out(view, t, joined_in[t - 1]);
      joined += joined_in[t - 1];
      const std::uint32_t index = t >> schedule.order;
      if (schedule.due(index) != t || index > schedule.last_due(left)) continue;
      // The row's own period is the first that its devices have not told of.
      if (t < left) {
        const std::uint64_t told = row.told.empty() ? joined : row.told[at];
        const std::uint64_t spoken = told - (row.silent.empty() ? 0 : row.silent[at]);
        sums.add(view, index, {-row.sums[at], 0 - told, 0 - spoken});  // counts wrap around
      }
      ++at;
    }
  }
}

std::uint64_t Presence::memory_bytes() const {
  std::uint64_t bytes = rows_.size() * sizeof(Row) + newcomers_.size() * sizeof(IndexSum) +
                        missing_.size() * sizeof(std::uint64_t) +
                        beyond_.size() * (sizeof(Beyond) + sizeof(std::int64_t));
  for (const Row& row : rows_) {
    bytes += (row.sums.size() + row.silent.size() + row.told.size() + row.joined.size()) *
             sizeof(std::uint64_t);
  }
  return bytes;
}

std::optional<Presence> empty_presence(const Plan& plan, bool transcript_cap) {
  if (!shows_who_is_active(plan)) return std::nullopt;
  return Presence(plan, transcript_cap ? TranscriptLimits::of(plan) : nullptr);
}

Sums without_rows(const Sums& all, const Presence& presence, Period through) {
  Sums rest = all;
  for (Period left = 1; left <= std::min(through, presence.num_periods()); ++left) {
    presence.subtract_row(left, rest);
  }
  return rest;
}

}  // namespace futurerand
