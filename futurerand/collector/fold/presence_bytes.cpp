#include "futurerand/collector/fold/presence_bytes.hpp"

#include <utility>
#include <vector>

namespace futurerand {
namespace {

void put_counts(std::string& bytes, const std::vector<std::uint64_t>& counts) {
  for (const std::uint64_t count : counts) put_varint(bytes, count);
}

void put_sums(std::string& bytes, const std::vector<std::int64_t>& sums) {
  for (const std::int64_t sum : sums) put_varint(bytes, zigzag(sum));
}

void read_counts(ByteReader& in, std::vector<std::uint64_t>& counts) {
  for (std::uint64_t& count : counts) count = in.varint();
}

void read_sums(ByteReader& in, std::vector<std::int64_t>& sums) {
  for (std::int64_t& sum : sums) sum = from_zigzag(in.varint());
}

}  // namespace

void put_presence(std::string& bytes, const Presence& presence) {
  if (presence.rule().step > 1) put_varint(bytes, presence.merged());
  for (Period t = 1; t <= presence.num_periods(); ++t) {
    if (presence.has_heartbeats()) {
      put_varint(bytes, presence.missing(t));
    } else {
      const IndexSum& newcomers = presence.newcomers(t);
      put_varint(bytes, newcomers.count);
      put_varint(bytes, zigzag(newcomers.sum));
      if (presence.may_be_zero()) put_varint(bytes, newcomers.spoken);
    }
    const Presence::Row& row = presence.row(t);
    put_varint(bytes, row.devices);
    put_sums(bytes, row.sums);
    put_counts(bytes, row.joined);
    put_counts(bytes, row.silent);
    put_counts(bytes, row.told);
    if (row.devices > 0 && presence.limits() != nullptr) put_varint(bytes, zigzag(row.excess));
    put_sums(bytes, row.excess_in);
  }
}

bool read_presence(ByteReader& in, Presence& presence) {
  const bool may_be_zero = presence.may_be_zero();
  if (presence.rule().step > 1) {
    const std::uint64_t merged = in.varint();
    if (merged > presence.num_periods()) return false;
    presence.merge_rows(static_cast<Period>(merged));
  }
  for (Period t = 1; t <= presence.num_periods() && in.ok(); ++t) {
    if (presence.has_heartbeats()) {
      presence.add_missing(t, in.varint());
    } else {
      const std::uint64_t count = in.varint();
      const std::int64_t sum = from_zigzag(in.varint());
      presence.add_newcomers(t, {sum, count, may_be_zero ? in.varint() : count});
    }
    const std::uint64_t devices = in.varint();
    if (devices == 0) continue;
    if (presence.row_of(t) != t) return false;  // they stand in the first row of their step
    Presence::Row row = presence.zero_row(t);
    row.devices = devices;
    read_sums(in, row.sums);
    read_counts(in, row.joined);
    read_counts(in, row.silent);
    read_counts(in, row.told);
    if (presence.limits() != nullptr) row.excess = from_zigzag(in.varint());
    read_sums(in, row.excess_in);
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
