#include "futurerand/estimator/presence.hpp"

#include <algorithm>
#include <utility>

namespace futurerand {
namespace {

template <typename Number>
void add_each(std::vector<Number>& to, const std::vector<Number>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

// Calls of_joined(view, period, how many joined in it) and of_index(view, index, how many told it,
// where in the row) for all that a row with this end says.
template <typename OfJoined, typename OfIndex>
void visit(const std::vector<Schedule>& views, const Presence::Row& row, Period end,
           const OfJoined& of_joined, const OfIndex& of_index) {
  std::size_t place = 0;
  for (std::uint32_t view = 0; view < views.size(); ++view) {
    const Schedule& schedule = views[view];
    const std::uint64_t* const joined_in = row.joined.data() + std::size_t{view} * end;
    std::uint64_t joined = 0;
    for (Period t = 1; t <= end; ++t) {
      of_joined(view, t, joined_in[t - 1]);
      joined += joined_in[t - 1];
      const std::uint32_t index = t >> schedule.order;
      if (schedule.due(index) != t || index > schedule.last_due(end)) continue;
      // Of its last period none of its devices has told.
      const std::uint64_t told = !row.told.empty() ? row.told[place] : t < end ? joined : 0;
      of_index(view, index, told, place++);
    }
  }
}

}  // namespace

Presence::Presence(const Plan& plan, std::shared_ptr<const TranscriptLimits> limits,
                   const LeavingRule& rule)
    : rule_(rule),
      heartbeats_(plan.heartbeats),
      newcomers_(plan.heartbeats ? 0 : plan.num_periods),
      missing_(plan.heartbeats ? plan.num_periods : 0),
      rows_(plan.num_periods),
      limits_(std::move(limits)),
      beyond_(limits_ ? plan.num_periods : 0),
      before_(limits_ ? plan.num_periods : 0) {
  for (const View& view : plan.views) {
    views_.emplace_back(view, plan.num_periods);
    may_be_zero_ |= views_.back().may_be_zero;
  }
}

std::size_t Presence::begin_of(std::uint32_t view, Period end) const {
  std::size_t begin = 0;
  for (std::uint32_t before = 0; before < view; ++before) begin += views_[before].last_due(end);
  return begin;
}

Period Presence::end_of(Period row) const {
  return is_merged(row) ? std::min(first_of(row) + rule_.step - 1, num_periods()) : row;
}

Presence::Row Presence::zero_row(Period at) const {
  const Period end = end_of(at);
  const std::size_t indices = begin_of(static_cast<std::uint32_t>(views_.size()), end);
  Row row;
  row.sums.resize(indices);
  row.silent.resize(may_be_zero_ ? indices : 0);
  row.told.resize(heartbeats_ || is_merged(at) ? indices : 0);
  row.joined.resize(views_.size() * end);
  row.excess_in.resize(limits_ ? end - first_of(at) : 0);
  return row;
}

void Presence::move(const Told& told, int times) {
  const Period at = row_of(told.next), end = end_of(at);
  Row& row = rows_[at - 1];
  if (row.devices == 0) row = zero_row(at);
  const auto devices =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(times));  // wraps around
  row.devices += devices;
  row.joined[std::size_t{told.view} * end + told.joined - 1] += devices;
  const std::size_t begin = begin_of(told.view, end);
  const std::uint32_t stride = views_[told.view].stride;
  for (std::uint32_t index = told.first_index; index < told.next_index; index += stride) {
    const std::size_t place = begin + index - 1;
    if (!row.told.empty()) row.told[place] += devices;
    if (told.is_zero(index)) {
      row.silent[place] += devices;
    } else {
      row.sums[place] += told.is_minus(index) ? -times : times;
    }
  }
  if (limits_ && told.next > told.joined) {
    const Period first = first_of(at);
    if (!is_merged(at)) row.excess += times * limits_->excess(told, told.next - 1);
    for (Period t = std::max(first, told.joined); t < told.next; ++t) {
      row.excess_in[t - first] += times * limits_->excess(told, t);
    }
  }
  if (row.devices == 0) row = {};  // all of it is zero now
}

void Presence::merge_gone(Period current) {
  if (current > rule_.gone_after) merge_rows(current - rule_.gone_after);
}

void Presence::merge_rows(Period through) {
  through = std::min(through, num_periods());
  if (rule_.step == 1 || through <= merged_) return;
  const Period before = std::exchange(merged_, through);
  for (Period left = before + 1; left <= through; ++left) {
    merge_row(std::exchange(rows_[left - 1], {}), left);
  }
}

void Presence::merge_row(const Row& from, Period left) {
  if (from.devices == 0) return;
  const Period at = first_of(left), end = end_of(at);
  Row& row = rows_[at - 1];
  if (row.devices == 0) row = zero_row(at);
  row.devices += from.devices;
  std::vector<std::size_t> begins;
  for (std::uint32_t view = 0; view < views_.size(); ++view) begins.push_back(begin_of(view, end));
  visit(
      views_, from, left,
      [&](std::uint32_t view, Period t, std::uint64_t joined) {
        row.joined[std::size_t{view} * end + t - 1] += joined;
      },
      [&](std::uint32_t view, std::uint32_t index, std::uint64_t told, std::size_t place) {
        const std::size_t to = begins[view] + index - 1;
        row.sums[to] += from.sums[place];
        if (!from.silent.empty()) row.silent[to] += from.silent[place];
        row.told[to] += told;
      });
  add_each(row.excess_in, from.excess_in);
}

std::int64_t Presence::excess_of_merged(Period period) const {
  const Period first = first_of(period);
  const std::vector<std::int64_t>& excess_in = rows_[first - 1].excess_in;
  return is_merged(first) && period - first < excess_in.size() ? excess_in[period - first] : 0;
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
  merge_rows(other.merged_);
  add_each(missing_, other.missing_);
  for (Period t = 1; t <= num_periods(); ++t) {
    if (!heartbeats_) add_newcomers(t, other.newcomers(t));
    if (limits_) add_beyond(t, other.beyond(t), other.excess_before(t));
    const Row& from = other.row(t);
    if (is_merged(t) && !other.is_merged(t)) {
      merge_row(from, t);
      continue;
    }
    Row& row = rows_[t - 1];
    row.devices += from.devices;
    add_each(row.sums, from.sums);
    add_each(row.silent, from.silent);
    add_each(row.told, from.told);
    add_each(row.joined, from.joined);
    row.excess += from.excess;
    add_each(row.excess_in, from.excess_in);
  }
}

void Presence::subtract_row(Period at, Sums& sums) const {
  const Row& row = rows_[at - 1];
  if (row.devices == 0) return;
  visit(
      views_, row, end_of(at),
      [&](std::uint32_t view, Period t, std::uint64_t joined) { sums.take_out(view, t, joined); },
      [&](std::uint32_t view, std::uint32_t index, std::uint64_t told, std::size_t place) {
        const std::uint64_t spoken = told - (row.silent.empty() ? 0 : row.silent[place]);
        sums.add(view, index, {-row.sums[place], 0 - told, 0 - spoken});  // counts wrap around
      });
}

std::uint64_t Presence::memory_bytes() const {
  std::uint64_t bytes = rows_.size() * sizeof(Row) + newcomers_.size() * sizeof(IndexSum) +
                        missing_.size() * sizeof(std::uint64_t) +
                        beyond_.size() * (sizeof(Beyond) + sizeof(std::int64_t));
  for (const Row& row : rows_) {
    bytes += (row.sums.size() + row.silent.size() + row.told.size() + row.joined.size() +
              row.excess_in.size()) *
             sizeof(std::uint64_t);
  }
  return bytes;
}

std::optional<Presence> empty_presence(const Plan& plan, bool transcript_cap, Period gone_after) {
  if (!shows_who_is_active(plan)) return std::nullopt;
  return Presence(plan, transcript_cap ? TranscriptLimits::of(plan) : nullptr,
                  {leaving_step(plan.num_periods, plan.heartbeats), gone_after});
}

Sums without_rows(const Sums& all, const Presence& presence, Period through) {
  Sums rest = all;
  for (Period left = 1; left <= std::min(through, presence.num_periods()); ++left) {
    presence.subtract_row(left, rest);
  }
  return rest;
}

}  // namespace futurerand
