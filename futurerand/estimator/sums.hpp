// Sums: all that the server keeps of the reports. Per view and index the sum of signs and their
// number, and how many devices enrolled in each period. Integers, so that folding in any order
// gives the same bytes. Of a plan with segments, the same for each segment too.
//
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <vector>

#include "futurerand/core/base/sign.hpp"
#include "futurerand/core/plan/schedule.hpp"

namespace futurerand {

struct IndexSum {
  std::int64_t sum = 0;      // of symbols -1 / 0 / +1
  std::uint64_t count = 0;   // of reports
  std::uint64_t spoken = 0;  // of those that were not silent
  friend bool operator==(const IndexSum&, const IndexSum&) = default;
  friend IndexSum operator+(const IndexSum& a, const IndexSum& b) {
    return {a.sum + b.sum, a.count + b.count, a.spoken + b.spoken};
  }
};

constexpr IndexSum one_report(Sign sign) {
  return {static_cast<int>(sign), 1, sign == Sign::kZero ? 0U : 1U};
}

class Sums {
 public:
  // Requires a valid plan.
  explicit Sums(const Plan& plan);

  // Requires view < num_views(), 1 <= period <= num_periods; index: a snapshot view's, else 0.
  void enrol(std::uint32_t view, Period period, std::uint32_t index, std::uint64_t devices = 1,
             std::uint32_t stratum = 0);
  // Adds devices that enrolled in each period and, of a snapshot view, in time for each index, as
  // the calls below gave them once. Requires vectors of the view's sizes.
  void add_enrolled(std::uint32_t view, const std::vector<std::uint64_t>& enrolled,
                    const std::vector<std::uint64_t>& snapshot_devices, std::uint32_t stratum = 0);
  // Requires 1 <= index <= the view's num_indices.
  void add(std::uint32_t view, std::uint32_t index, const IndexSum& reports,
           std::uint32_t stratum = 0);
  // Adds reports of signs, none of them silent.
  void add(std::uint32_t view, std::uint32_t index, std::int64_t sum, std::uint64_t count) {
    add(view, index, {sum, count, count});
  }
  // Adds sums of the same plan: folding two halves of a log and merging is folding the log.
  void merge(const Sums& other);

  // Of a plan with segments one for each, whose sum these are. Else these sums themselves.
  std::uint32_t num_strata() const {
    return strata_.empty() ? 1 : static_cast<std::uint32_t>(strata_.size());
  }
  const Sums& stratum(std::uint32_t number) const {
    return strata_.empty() ? *this : strata_[number];
  }

  std::uint32_t num_views() const { return static_cast<std::uint32_t>(views_.size()); }
  const IndexSum& at(std::uint32_t view, std::uint32_t index) const {
    return views_[view].indices[index - 1];
  }
  std::uint32_t num_indices(std::uint32_t view) const {
    return static_cast<std::uint32_t>(views_[view].indices.size());
  }
  // Returns the devices of this view that enrolled in exactly this period.
  std::uint64_t enrolled_in(std::uint32_t view, Period period) const {
    return views_[view].enrolled[period - 1];
  }
  // Returns N_t, the devices of all views enrolled by the end of each period; element t-1 is for
  // period t.
  std::vector<std::uint64_t> enrolled_by_period() const;
  // Returns how many reports the devices enrolled so far owe for each index of a view; element j-1
  // for j.
  std::vector<std::uint64_t> expected_reports(std::uint32_t view) const;
  // Returns the snapshot devices that drew this index and joined in time to report it; 0 for other
  // views.
  std::uint64_t snapshot_devices(std::uint32_t view, std::uint32_t index) const {
    return views_[view].snapshot_devices.empty() ? 0 : views_[view].snapshot_devices[index - 1];
  }

  std::uint64_t memory_bytes() const;

  friend bool operator==(const Sums&, const Sums&) = default;

 private:
  struct ViewSums {
    Schedule schedule;
    std::vector<IndexSum> indices;                // element j-1 is index j
    std::vector<std::uint64_t> enrolled;          // element t-1 is period t
    std::vector<std::uint64_t> snapshot_devices;  // element j-1 is index j; empty for other kinds
    friend bool operator==(const ViewSums&, const ViewSums&) = default;
  };

  Period num_periods_;
  std::vector<ViewSums> views_;
  std::vector<Sums> strata_;
};

// Returns how many bytes the sums of a plan take, without making them.
std::uint64_t sums_bytes(const Plan& plan);

}  // namespace futurerand
