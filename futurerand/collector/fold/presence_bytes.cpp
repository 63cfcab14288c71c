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

}  // namespace

void put_presence(std::string& bytes, const Presence& presence) {
  for (const PresenceTable& table : presence.tables()) {
    for (const DeviceSum& sum : table.reported) put_sum(bytes, sum);
    for (const DeviceSum& sum : table.missing) put_sum(bytes, sum);
    for (const std::int64_t devices : table.clipped) put_varint(bytes, zigzag(devices));
  }
}

void read_presence(ByteReader& in, Presence& presence) {
  std::vector<PresenceTable> tables = presence.tables();
  for (PresenceTable& table : tables) {
    for (DeviceSum& sum : table.reported) sum = read_sum(in);
    for (DeviceSum& sum : table.missing) sum = read_sum(in);
    for (std::int64_t& devices : table.clipped) devices = from_zigzag(in.varint());
  }
  if (in.ok()) presence.merge(tables);
}

}  // namespace futurerand
