#include "futurerand/estimator/presence.hpp"

#include <algorithm>

namespace futurerand {
namespace {

template <typename Number>
void add_each(std::vector<Number>& to, const std::vector<Number>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

}  // namespace

IndexSum first_report(const Told& told) {
  const bool silent = told.is_silent(told.joined);
  return one_report(silent ? Sign::kSilent : sign_of(told.is_minus(told.joined)));
}

void Presence::move(const Told& told, int times) {
  Row& row = rows_[told.next - 1];
  if (row.sums.empty()) {
    row.sums.resize(told.next);
    row.joined.resize(told.next);
    if (told.silent != nullptr) row.silent.resize(told.next);
  }
  const auto devices =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(times));  // wraps around
  row.devices += devices;
  row.joined[told.joined - 1] += devices;
  for (Period t = told.joined; t < told.next; ++t) {
    if (told.is_silent(t)) {
      row.silent[t - 1] += devices;
    } else {
      row.sums[t - 1] += told.is_minus(t) ? -times : times;
    }
  }
  if (row.devices == 0) row = {};  // all of it is zero now
}

void Presence::add_newcomers(Period period, const IndexSum& reports) {
  IndexSum& at = newcomers_[period - 1];
  at.sum += reports.sum;
  at.count += reports.count;
  at.spoken += reports.spoken;
}

void Presence::merge(const Presence& other) {
  for (Period t = 1; t <= num_periods(); ++t) {
    add_newcomers(t, other.newcomers(t));
    Row& row = rows_[t - 1];
    const Row& from = other.row(t);
    row.devices += from.devices;
    add_each(row.sums, from.sums);
    add_each(row.silent, from.silent);
    add_each(row.joined, from.joined);
  }
}

std::uint64_t Presence::memory_bytes() const {
  std::uint64_t bytes = rows_.size() * (sizeof(Row) + sizeof(IndexSum));
  for (const Row& row : rows_) {
    bytes += (row.sums.size() + row.silent.size() + row.joined.size()) * sizeof(std::uint64_t);
  }
  return bytes;
}

Sums without_rows(const Sums& all, const Presence& presence, Period through) {
  Sums rest = all;
  for (Period left = 1; left <= std::min(through, presence.num_periods()); ++left) {
    const Presence::Row& row = presence.row(left);
    std::uint64_t joined = 0;
    for (Period t = 1; t <= row.joined.size(); ++t) {
      rest.enrol(0, t, 0, 0 - row.joined[t - 1]);  // counts wrap around
      joined += row.joined[t - 1];
      if (t == left) break;
      const std::uint64_t silent = row.silent.empty() ? 0 : row.silent[t - 1];
      rest.add(0, t, {-row.sums[t - 1], 0 - joined, 0 - (joined - silent)});
    }
  }
  return rest;
}

}  // namespace futurerand
