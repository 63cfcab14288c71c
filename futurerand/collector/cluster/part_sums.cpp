#include "futurerand/collector/cluster/part_sums.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "futurerand/collector/fold/presence_bytes.hpp"

namespace futurerand {
namespace {

// Far beyond any population, and far from overflow when all shards are added up.
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 48;

std::uint64_t size_of(std::int64_t sum) {
  return sum < 0 ? 0 - static_cast<std::uint64_t>(sum) : static_cast<std::uint64_t>(sum);
}

bool can_be(std::int64_t sum, std::uint64_t of) { return of <= kMaxCount && size_of(sum) <= of; }

// Sums of estimates wrap around, unless the number of devices is small enough. A shard that removes
// devices added by another shard has a negative number.
bool can_be(const Presence& presence) {
  const auto few = [](const DeviceSum& sum) { return size_of(sum.devices) <= kMaxCount; };
  return std::all_of(
      presence.tables().begin(), presence.tables().end(), [&](const PresenceTable& table) {
        return std::all_of(table.reported.begin(), table.reported.end(), few) &&
               std::all_of(table.missing.begin(), table.missing.end(), few) &&
               std::all_of(table.clipped.begin(), table.clipped.end(),
                           [](std::int64_t devices) { return size_of(devices) <= kMaxCount; });
      });
}

void put_sums(const Plan& plan, const Sums& sums, std::string& bytes) {
  for (std::uint32_t view = 0; view < sums.num_views(); ++view) {
    const bool draws_start = Schedule(plan.views[view], plan.num_periods).draws_start();
    for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
      const IndexSum& at = sums.at(view, index);
      put_varint(bytes, at.count);
      put_varint(bytes, at.count - at.spoken);
      put_varint(bytes, zigzag(at.sum));
      if (draws_start) put_varint(bytes, sums.snapshot_devices(view, index));
    }
    for (Period t = 1; t <= plan.num_periods; ++t) put_varint(bytes, sums.enrolled_in(view, t));
  }
}

// False if no devices can have sent such reports. Bytes that end early show in the reader.
bool read_stratum(const Plan& plan, std::uint32_t stratum, ByteReader& in, Sums& sums) {
  for (std::uint32_t view = 0; view < sums.num_views() && in.ok(); ++view) {
    const bool draws_start = Schedule(plan.views[view], plan.num_periods).draws_start();
    std::vector<std::uint64_t> snapshots;
    for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
      const std::uint64_t count = in.varint();
      const std::uint64_t silent = in.varint();
      const std::int64_t sum = from_zigzag(in.varint());
      if (silent > count || !can_be(sum, count)) return false;
      sums.add(view, index, {sum, count, count - silent}, stratum);
      if (draws_start) snapshots.push_back(in.varint());
    }
    std::vector<std::uint64_t> enrolled(plan.num_periods);
    for (std::uint64_t& devices : enrolled) devices = in.varint();
    sums.add_enrolled(view, enrolled, snapshots, stratum);
  }
  return true;
}

}  // namespace

std::string to_bytes(const Plan& plan, const PartSums& part) {
  std::string bytes;
  for (std::uint32_t stratum = 0; stratum < part.sums->num_strata(); ++stratum) {
    put_sums(plan, part.sums->stratum(stratum), bytes);
  }
  if (part.presence != nullptr) put_presence(bytes, *part.presence);
  if (part.final_seasons != nullptr) bytes += to_bytes(plan, *part.final_seasons);
  return bytes;
}

Result<PartSums> parse_sums_bytes(const Plan& plan, std::optional<Presence> presence,
                                  std::string_view bytes, bool endless) {
  const Error unfit{"sums that do not fit the plan", ErrorCode::kDamaged};
  Sums sums(plan);
  ByteReader in(bytes);
  for (std::uint32_t stratum = 0; stratum < sums.num_strata() && in.ok(); ++stratum) {
    if (!read_stratum(plan, stratum, in, sums)) return unfit;
  }
  PartSums part;
  if (presence && in.ok()) {
    read_presence(in, *presence);
    if (!can_be(*presence)) return unfit;
    part.presence = std::make_shared<const Presence>(*std::move(presence));
  }
  if (endless && in.ok()) {
    Result<FinalSeasons> seasons = parse_final_seasons(plan, in.take(in.remaining()));
    if (!seasons) return unfit;
    part.final_seasons = std::make_shared<const FinalSeasons>(*std::move(seasons));
  }
  if (!in.at_end()) return unfit;
  part.sums = std::make_shared<const Sums>(std::move(sums));
  return part;
}

}  // namespace futurerand
