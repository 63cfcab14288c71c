#include "futurerand/collector/fold/presence_bytes.hpp"

#include <vector>

namespace futurerand {
namespace {

void put_sum(std::string& bytes, const DeviceSum& sum) {
  put_varint(bytes, zigzag(sum.devices));
  put_varint(bytes, zigzag(sum.estimate));
  put_varint(bytes, zigzag(sum.variance));
}

DeviceSum read_sum(ByteReader& in) {
  DeviceSum sum;
  sum.devices = from_zigzag(in.varint());
  sum.estimate = from_zigzag(in.varint());
  sum.variance = from_zigzag(in.varint());
  return sum;
}

// Sums by row, or a zero where there is nothing to sum.
void put_rows(std::string& bytes, const std::vector<std::int64_t>& sums) {
  put_varint(bytes, are_zero(sums) ? 0 : 1);
  if (are_zero(sums)) return;
  for (const std::int64_t sum : sums) put_varint(bytes, zigzag(sum));
}

void read_rows(ByteReader& in, std::size_t num_codes, std::vector<std::int64_t>& sums) {
  sums.clear();
  if (in.varint() == 0) return;
  if (in.remaining() < num_codes) return in.fail();
  sums.resize(num_codes);
  for (std::int64_t& sum : sums) sum = from_zigzag(in.varint());
}

}  // namespace

void put_presence(std::string& bytes, const Presence& presence) {
  for (const PresenceTable& table : presence.tables()) {
    for (const DeviceSum& sum : table.reported) put_sum(bytes, sum);
    for (const DeviceSum& sum : table.missing) put_sum(bytes, sum);
    for (const std::int64_t devices : table.clipped) put_varint(bytes, zigzag(devices));
    for (const RowSums& rows : table.rows) {
      put_rows(bytes, rows.reported);
      put_rows(bytes, rows.missing);
    }
  }
}

void read_presence(ByteReader& in, Presence& presence) {
  std::vector<PresenceTable> tables = presence.tables();
  for (PresenceTable& table : tables) {
    for (DeviceSum& sum : table.reported) sum = read_sum(in);
    for (DeviceSum& sum : table.missing) sum = read_sum(in);
    for (std::int64_t& devices : table.clipped) devices = from_zigzag(in.varint());
    for (RowSums& rows : table.rows) {
      read_rows(in, presence.num_codes(), rows.reported);
      read_rows(in, presence.num_codes(), rows.missing);
    }
  }
  if (in.ok()) presence.merge(tables);
}

}  // namespace futurerand
