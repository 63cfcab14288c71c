// Presence: who is still there, as sums by the period of leaving. Each device that was not heard of
// stands in the row of the first period that it has not told of; subtracting rows from the sums of
// all gives the sums of those who were there at any period. For plans that show who is active:
// those in which every device reports every period (`innovation`), and those with heartbeats.
// active.md says what it is for, and proves it.
//
// Memory: for each pair of periods, of which one is a period that somebody left in, 16 bytes; with
// heartbeats 8 bytes a view, and 16 for each index that is due in the other (24 where some symbols
// are silent).
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// What one device told of the periods from the one it joined in to before `next`, the first that is
// missing: its reports of the indices from first_index to before next_index, all due before `next`.
// Bit (j-1) % 64 of word (j-1) / 64 is index j.
struct Told {
  std::uint32_t view;
  Period joined;
  Period next;
  std::uint32_t first_index;
  std::uint32_t next_index;
  const std::uint64_t* minus;
  const std::uint64_t* silent;  // null where no report of the view may be silent

  bool is_minus(std::uint32_t j) const { return (minus[(j - 1) / 64] >> ((j - 1) % 64) & 1U) != 0; }
  bool is_silent(std::uint32_t j) const {
    return silent != nullptr && (silent[(j - 1) / 64] >> ((j - 1) % 64) & 1U) != 0;
  }
};

// The first report that it made. Requires next_index > first_index.
IndexSum first_report(const Told& told);

class Presence {
 public:
  // Those whose first missing period is the row's. The vectors are empty if there are no devices.
  struct Row {
    std::uint64_t devices = 0;
    // One view after the other, of each the indices that are due by the row's period.
    std::vector<std::int64_t> sums;     // of signs
    std::vector<std::uint64_t> silent;  // how many were silent; empty if none may be
    std::vector<std::uint64_t> told;    // how many told it; empty if all who had joined did
    // One view after the other, of each the periods up to the row's.
    std::vector<std::uint64_t> joined;  // devices that joined in exactly this period
    friend bool operator==(const Row&, const Row&) = default;
  };

  // Requires a plan that shows_who_is_active.
  explicit Presence(const Plan& plan);

  // Puts a device into its row, or takes it out again. Requires next <= num_periods().
  void put(const Told& told) { move(told, 1); }
  void take_out(const Told& told) { move(told, -1); }

  // The report that a device makes in the very period it joined in: news of newcomers is large, so
  // that it is scaled apart. Of plans without heartbeats. Requires 1 <= period <= num_periods().
  void add_newcomers(Period period, const IndexSum& reports);

  // With heartbeats: so many devices more (wrapping around) have this period as their first missing
  // one, in rows or not yet. Requires 1 <= next; past the horizon nothing is missing.
  void add_missing(Period next, std::uint64_t devices) {
    if (next <= num_periods()) missing_[next - 1] += devices;
  }

  // Presences of the same plan, of disjoint devices.
  void merge(const Presence& other);
  // Takes the reports and enrolments of a row's devices out of sums of the same plan.
  void subtract_row(Period left, Sums& sums) const;

  Period num_periods() const { return static_cast<Period>(rows_.size()); }
  bool has_heartbeats() const { return heartbeats_; }
  bool may_be_silent() const { return may_be_silent_; }
  // The sizes of a row's vectors: of its indices, and of who joined when.
  std::size_t num_indices(Period left) const;
  std::size_t num_joined(Period left) const { return views_.size() * left; }
  const Row& row(Period left) const { return rows_[left - 1]; }
  void set_row(Period left, Row row) { rows_[left - 1] = std::move(row); }
  const IndexSum& newcomers(Period period) const { return newcomers_[period - 1]; }
  // How many devices have this period as their first missing one. Requires heartbeats.
  std::uint64_t missing(Period period) const { return missing_[period - 1]; }
  std::uint64_t memory_bytes() const;

  friend bool operator==(const Presence&, const Presence&) = default;

 private:
  void move(const Told& told, int times);
  // Where the indices of a view begin in a row.
  std::size_t begin_of(std::uint32_t view, Period left) const;

  std::vector<Schedule> views_;
  bool heartbeats_;
  bool may_be_silent_ = false;
  std::vector<IndexSum> newcomers_;     // empty with heartbeats
  std::vector<std::uint64_t> missing_;  // empty without
  std::vector<Row> rows_;
};

// All reports and enrolments but those of the devices in the rows up to `through`.
// Requires sums of the presence's plan.
Sums without_rows(const Sums& all, const Presence& presence, Period through);

}  // namespace futurerand
