#include "futurerand/collector/fold/presence_bytes.hpp"

#include <utility>
#include <vector>

namespace futurerand {
namespace {

void put_counts(std::string& bytes, const std::vector<std::uint64_t>& counts) {
  for (const std::uint64_t count : counts) put_varint(bytes, count);
}

std::vector<std::uint64_t> read_counts(ByteReader& in, std::size_t size) {
  std::vector<std::uint64_t> counts(size);
  for (std::uint64_t& count : counts) count = in.varint();
  return counts;
}

}  // namespace

void put_presence(std::string& bytes, const Presence& presence) {
  for (Period t = 1; t <= presence.num_periods(); ++t) {
    if (presence.has_heartbeats()) {
      put_varint(bytes, presence.missing(t));
    } else {
      const IndexSum& newcomers = presence.newcomers(t);
      put_varint(bytes, newcomers.count);
      put_varint(bytes, zigzag(newcomers.sum));
      if (presence.may_be_silent()) put_varint(bytes, newcomers.spoken);
    }
    const Presence::Row& row = presence.row(t);
    put_varint(bytes, row.devices);
    for (const std::int64_t sum : row.sums) put_varint(bytes, zigzag(sum));
    put_counts(bytes, row.joined);
    put_counts(bytes, row.silent);
    put_counts(bytes, row.told);
    if (row.devices > 0 && presence.limits() != nullptr) put_varint(bytes, zigzag(row.excess));
  }
}

bool read_presence(ByteReader& in, Presence& presence) {
  const bool may_be_silent = presence.may_be_silent();
  for (Period t = 1; t <= presence.num_periods() && in.ok(); ++t) {
    if (presence.has_heartbeats()) {
      presence.add_missing(t, in.varint());
    } else {
      const std::uint64_t count = in.varint();
      const std::int64_t sum = from_zigzag(in.varint());
      presence.add_newcomers(t, {sum, count, may_be_silent ? in.varint() : count});
    }
    Presence::Row row;
    row.devices = in.varint();
    if (row.devices == 0) continue;
    const std::size_t indices = presence.num_indices(t);
    for (const std::uint64_t coded : read_counts(in, indices)) {
      row.sums.push_back(from_zigzag(coded));
    }
    row.joined = read_counts(in, presence.num_joined(t));
    if (may_be_silent) row.silent = read_counts(in, indices);
    if (presence.has_heartbeats()) row.told = read_counts(in, indices);
    if (presence.limits() != nullptr) row.excess = from_zigzag(in.varint());
    presence.set_row(t, std::move(row));
  }
  return in.ok();
}

void put_beyond(std::string& bytes, const Presence& presence) {
  if (presence.limits() == nullptr) return;
  for (Period t = 1; t <= presence.num_periods(); ++t) {
    const Beyond& beyond = presence.beyond(t);
    put_varint(bytes, beyond.devices);
    put_varint(bytes, zigzag(beyond.excess));
    put_varint(bytes, zigzag(presence.excess_before(t)));
  }
}

void read_beyond(ByteReader& in, Presence& presence) {
  if (presence.limits() == nullptr) return;
  for (Period t = 1; t <= presence.num_periods() && in.ok(); ++t) {
    const std::uint64_t devices = in.varint();
    const std::int64_t excess = from_zigzag(in.varint());
    presence.add_beyond(t, {excess, devices}, from_zigzag(in.varint()));
  }
}

}  // namespace futurerand
