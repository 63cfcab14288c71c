// Schedule: everything that devices and servers derive from a view, in one place, so that they
// cannot disagree. It has the indices, the part of them that one device reports, their due periods,
// and the allowed symbols. [OWW22] Alg. 1, for any horizon and for devices that join late.
//
// A device starts at an index, its `start`: in a snapshot view one of 1..stride, which it draws on
// joining; in other views there is nothing to draw, and the start is 0.
#pragma once

#include <algorithm>
#include <cstdint>

#include "futurerand/core/plan/plan.hpp"

namespace futurerand {

struct Schedule {
  ViewKind kind;
  Order order;
  std::uint32_t num_indices;  // the indices that exist: 1..num_indices
  // The distance between two indices of one device. In a snapshot view one device in `stride`
  // reports an index. In a view with one report only the devices that joined at an index report it.
  // In other views all devices do.
  std::uint32_t stride;
  bool may_be_zero;          // whether a report may have a symbol that is neither plus nor minus
  std::uint32_t max_pulses;  // so many pluses a device has at most; 0: any number

  // Requires a view of a valid plan of so many periods.
  Schedule(const View& view, Period num_periods)
      : kind(view.kind),
        order(view.order),
        num_indices(view.num_indices(num_periods)),
        stride(kind == ViewKind::kSnapshot
                   ? (num_indices + num_signs(view.law) - 1) / num_signs(view.law)
               : kind == ViewKind::kOnce ? num_indices
                                         : 1),
        may_be_zero(futurerand::may_be_zero(view.law)) {
    const auto* law = std::get_if<PulseLaw>(&view.law);
    max_pulses = law == nullptr ? 0 : law->pulses;
  }

  // An index is due at the end of this period.
  Period due(std::uint32_t index) const { return index << order; }
  // Returns the last index that is due by the end of a period, or 0.
  std::uint32_t last_due(Period period) const { return std::min(period >> order, num_indices); }

  bool draws_start() const { return kind == ViewKind::kSnapshot; }
  bool is_start(std::uint32_t start) const {
    return draws_start() ? 1 <= start && start <= stride : start == 0;
  }
  // Returns where a device that reports this index started.
  std::uint32_t start_of(std::uint32_t index) const {
    return draws_start() ? (index - 1) % stride + 1 : 0;
  }

  // Returns the first index that a device ever reports: intervals and grid points that ended before
  // it joined are never reported. It may be past num_indices; then the device owes nothing.
  // Requires 1 <= joined, and a start.
  std::uint32_t first_index(Period joined, std::uint32_t start) const {
    const std::uint32_t earliest = ((joined - 1) >> order) + 1;
    return draws_start() ? next_from(start, earliest) : earliest;
  }
  // Returns how many indices a device owes by the end of a period, given the first one that it
  // reports.
  std::uint32_t num_owed(std::uint32_t first, Period period) const {
    const std::uint32_t last = last_due(period);
    return last < first ? 0 : (last - first) / stride + 1;
  }

  friend bool operator==(const Schedule&, const Schedule&) = default;

 private:
  // Returns the first of index, index + stride, ... that is not below `least`.
  std::uint32_t next_from(std::uint32_t index, std::uint32_t least) const {
    if (index >= least) return index;
    return index + (least - index + stride - 1) / stride * stride;
  }
};

}  // namespace futurerand
