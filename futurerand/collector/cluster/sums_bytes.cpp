#include "futurerand/collector/cluster/sums_bytes.hpp"

#include <utility>
#include <vector>

#include "futurerand/collector/log/bytes.hpp"

namespace futurerand {

std::string to_bytes(const Plan& plan, const Sums& sums) {
  std::string bytes;
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
  return bytes;
}

Result<Sums> parse_sums_bytes(const Plan& plan, std::string_view bytes) {
  const Error unfit{"sums that do not fit the plan", ErrorCode::kDamaged};
  Sums sums(plan);
  ByteReader in(bytes);
  for (std::uint32_t view = 0; view < sums.num_views() && in.ok(); ++view) {
    const bool draws_start = Schedule(plan.views[view], plan.num_periods).draws_start();
    std::vector<std::uint64_t> snapshots;
    for (std::uint32_t index = 1; index <= sums.num_indices(view); ++index) {
      const std::uint64_t count = in.varint();
      const std::uint64_t silent = in.varint();
      const std::int64_t sum = from_zigzag(in.varint());
      if (silent > count) return unfit;
      sums.add(view, index, {sum, count, count - silent});
      if (draws_start) snapshots.push_back(in.varint());
    }
    std::vector<std::uint64_t> enrolled(plan.num_periods);
    for (std::uint64_t& devices : enrolled) devices = in.varint();
    sums.set_enrolled(view, std::move(enrolled), std::move(snapshots));
  }
  if (!in.at_end()) return unfit;
  return sums;
}

}  // namespace futurerand
