// Presence: sums of device estimates, for counting active devices. Each device is added when its
// report arrives, so that nothing has to be done when it leaves. active.md has the proofs.
//
// Memory: 56 bytes for each stratum and period, and 16 more for each row of a coding. Thread
// safety: a plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "futurerand/core/plan/plan.hpp"
#include "futurerand/estimator/presence/device_estimate.hpp"
#include "futurerand/estimator/presence/transcript.hpp"

namespace futurerand {

// Sums over some devices. A shard of a cluster may take out devices added by another shard, so its
// sums may be below zero. The sums over all shards are not.
struct DeviceSum {
  std::int64_t estimate = 0;  // of psi, in units
  std::int64_t variance = 0;  // of its variance, in units
  std::int64_t devices = 0;

  DeviceSum& operator+=(const DeviceSum& other);
  friend bool operator==(const DeviceSum&, const DeviceSum&) = default;
};

// Sums by row of a coding, of psi less one half, in units. Element r is row r. Empty ones are zero:
// no device was added yet.
struct RowSums {
  std::vector<std::int64_t> reported;  // over the same devices as in PresenceTable
  std::vector<std::int64_t> missing;
  friend bool operator==(const RowSums& a, const RowSums& b);
};

// Empty sums, and zeros, are the same. All forms that are stored have the empty ones.
bool are_zero(const std::vector<std::int64_t>& sums);

// Element t-1 of all is period t.
struct PresenceTable {
  std::vector<DeviceSum> reported;  // devices that reported t: psi(t)
  // Devices with first missing period t, except departed ones: psi(t - 1).
  std::vector<DeviceSum> missing;
  std::vector<std::int64_t> clipped;  // devices that reported t with psi(t) clipped
  std::vector<RowSums> rows;          // empty if the coding has no rows

  // Adds the sums of other devices. Returns false if the sizes differ; then it is of no use.
  bool add(const PresenceTable& other);
  // Whether it has the size of an empty one. Sums by row may be empty.
  bool has_size_of(const PresenceTable& empty, std::size_t num_codes) const;
  friend bool operator==(const PresenceTable&, const PresenceTable&) = default;
};

class Presence {
 public:
  // Of nobody. Requires an estimate and at least one stratum. `num_codes` is that of a coding with
  // rows, otherwise 0.
  explicit Presence(std::shared_ptr<const DeviceEstimate> estimate, std::size_t num_strata = 1,
                    std::size_t num_codes = 0);

  // The transcript of one device changes: a report comes, or it departs. To take a report back, or
  // to forget a device, exchange the arguments. A device without reports counts nothing. Requires
  // the same stratum, row and period of joining in both, and one to begin with the other.
  void change(const Transcript& before, const Transcript& after);

  // Adds the tables of other devices. Requires a presence of the same plan, cap and strata.
  void merge(const Presence& other) { merge(other.tables_); }
  // The same for tables that were saved. Requires tables of these sizes.
  void merge(const std::vector<PresenceTable>& tables);

  Period num_periods() const { return estimate_->num_periods(); }
  const DeviceEstimate& estimate() const { return *estimate_; }
  const std::vector<PresenceTable>& tables() const { return tables_; }
  // That of the devices in one stratum.
  Presence stratum(std::uint32_t number) const;
  // Over all strata. Requires 1 <= t <= num_periods().
  DeviceSum reported(Period t) const;
  DeviceSum missing(Period t) const;
  std::uint64_t clipped(Period t) const;
  // Adds the sums by row of a period, over all strata, to `sums`, which has an element for each.
  void add_reported_rows(Period t, std::vector<std::int64_t>& sums) const;
  void add_missing_rows(Period t, std::vector<std::int64_t>& sums) const;
  // The length of sums by row; 0 if the coding has no rows.
  std::size_t num_codes() const { return num_codes_; }
  std::uint64_t memory_bytes() const;

  // Requires the same plan and cap.
  friend bool operator==(const Presence& a, const Presence& b) { return a.tables_ == b.tables_; }

 private:
  Presence(const Presence& all, std::uint32_t stratum)
      : estimate_(all.estimate_), num_codes_(all.num_codes_), tables_{all.tables_[stratum]} {}

  // Adds, or with times = -1 takes out, what a transcript counts from the period `from` on.
  void add(const Transcript& transcript, Period from, int times);

  std::shared_ptr<const DeviceEstimate> estimate_;
  std::size_t num_codes_;
  std::vector<PresenceTable> tables_;  // by stratum
};

// Returns how many bytes the presence of a plan takes at most.
std::uint64_t presence_bytes(const Plan& plan);

// Returns an empty one, or none if devices of the plan report too rarely (inactive.hpp).
std::optional<Presence> empty_presence(const Plan& plan, bool capped);

}  // namespace futurerand
