// Presence: who is still there, as sums by the period of leaving. Each device that has missed
// reports stands in the row of the first period that it has not told; subtracting rows from the
// sums of all gives the sums of those who were there at any period. For plans in which every device
// reports every period (`innovation`). active.md says what it is for, and proves it.
//
// Memory: 16 bytes for each pair of periods of which one is a period that somebody left in.
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/estimator/sums.hpp"

namespace futurerand {

// What one device told from the period it joined in to before `next`, the first that is missing.
// Bit (t-1) % 64 of word (t-1) / 64 is period t.
struct Told {
  Period joined;
  Period next;
  const std::uint64_t* minus;
  const std::uint64_t* silent;  // null where no report may be silent

  bool is_minus(Period t) const { return (minus[(t - 1) / 64] >> ((t - 1) % 64) & 1U) != 0; }
  bool is_silent(Period t) const {
    return silent != nullptr && (silent[(t - 1) / 64] >> ((t - 1) % 64) & 1U) != 0;
  }
};

// The report of the period that it joined in. Requires next > joined.
IndexSum first_report(const Told& told);

class Presence {
 public:
  // Those whose first missing report is that of one period, the row's.
  struct Row {
    std::uint64_t devices = 0;
    // Element s-1 is period s, up to the row's. Empty if there are no devices.
    std::vector<std::int64_t> sums;     // of signs
    std::vector<std::uint64_t> silent;  // how many were silent; empty if none may be
    std::vector<std::uint64_t> joined;  // devices that joined in exactly this period
    friend bool operator==(const Row&, const Row&) = default;
  };

  // Requires num_periods <= kMaxActivePeriods.
  explicit Presence(Period num_periods) : newcomers_(num_periods), rows_(num_periods) {}

  // Puts a device into its row, or takes it out again. Requires next <= num_periods().
  void put(const Told& told) { move(told, 1); }
  void take_out(const Told& told) { move(told, -1); }

  // The report that a device makes in the very period it joined in: news of newcomers is large, so
  // that it is scaled apart. Requires 1 <= period <= num_periods().
  void add_newcomers(Period period, const IndexSum& reports);

  // Presences of the same plan, of disjoint devices.
  void merge(const Presence& other);

  Period num_periods() const { return static_cast<Period>(rows_.size()); }
  const Row& row(Period left) const { return rows_[left - 1]; }
  void set_row(Period left, Row row) { rows_[left - 1] = std::move(row); }
  const IndexSum& newcomers(Period period) const { return newcomers_[period - 1]; }
  std::uint64_t memory_bytes() const;

  friend bool operator==(const Presence&, const Presence&) = default;

 private:
  void move(const Told& told, int times);

  std::vector<IndexSum> newcomers_;
  std::vector<Row> rows_;
};

// All reports and enrolments but those of the devices in the rows up to `through`.
// Requires the sums of a plan with one view, of news, and their presence.
Sums without_rows(const Sums& all, const Presence& presence, Period through);

}  // namespace futurerand
