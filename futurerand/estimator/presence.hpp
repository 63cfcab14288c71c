// Presence: who is still there, as sums by the period of leaving. Each device that was not heard of
// stands in the row of the first period that it has not told of; subtracting rows from the sums of
// all gives the sums of those who were there at any period. For plans that show who is active:
// those in which every device reports every period (`innovation`), and those with heartbeats.
// active.md says what it is for, and proves it.
//
// With limits on what a transcript can say it also adds up what was said beyond them, so that
// estimates can leave it out (transcript_limits.hpp).
//
// Memory: for each pair of periods, of which one is a period that somebody left in, 16 bytes; with
// heartbeats 8 bytes a view, and 16 for each index that is due in the other (24 where some symbols
// are silent).
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/estimator/told.hpp"
#include "futurerand/estimator/transcript_limits.hpp"

namespace futurerand {

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
    // What its devices said beyond their limits when they were last heard, in limits' units.
    std::int64_t excess = 0;
    friend bool operator==(const Row&, const Row&) = default;
  };

  // Requires a plan that shows_who_is_active. With limits, which are those of the plan, it keeps
  // what transcripts said beyond them.
  explicit Presence(const Plan& plan, std::shared_ptr<const TranscriptLimits> limits = nullptr);

  // Puts a device into its row, or takes it out again. Requires next <= num_periods().
  void put(const Told& told) { move(told, 1); }
  void take_out(const Told& told) { move(told, -1); }

  // The report that a device makes in the very period it joined in: news of newcomers is large, so
  // that it is scaled apart. Of plans without heartbeats. Requires 1 <= period <= num_periods().
  void add_newcomers(Period period, const IndexSum& reports);

  // With limits: a device told the periods from `from` to before told.next, or takes them back.
  // Requires told.joined <= from < told.next.
  void hear(const Told& told, Period from) { hear(told, from, 1); }
  void take_back(const Told& told, Period from) { hear(told, from, -1); }

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
  // Null if it has none.
  const TranscriptLimits* limits() const { return limits_.get(); }
  // What those who told a period said beyond their limits then. Requires limits.
  const Beyond& beyond(Period period) const { return beyond_[period - 1]; }
  // The same of those for whom it is the first that is missing, from what they had told before.
  std::int64_t excess_before(Period period) const { return before_[period - 1]; }
  void add_beyond(Period period, const Beyond& beyond, std::int64_t excess_before);
  std::uint64_t memory_bytes() const;

  // Of the same plan.
  friend bool operator==(const Presence& a, const Presence& b) {
    return a.newcomers_ == b.newcomers_ && a.missing_ == b.missing_ && a.rows_ == b.rows_ &&
           a.beyond_ == b.beyond_ && a.before_ == b.before_;
  }

 private:
  void move(const Told& told, int times);
  void hear(const Told& told, Period from, int times);
  // Where the indices of a view begin in a row.
  std::size_t begin_of(std::uint32_t view, Period left) const;

  std::vector<Schedule> views_;
  bool heartbeats_;
  bool may_be_silent_ = false;
  std::vector<IndexSum> newcomers_;     // empty with heartbeats
  std::vector<std::uint64_t> missing_;  // empty without
  std::vector<Row> rows_;
  std::shared_ptr<const TranscriptLimits> limits_;
  std::vector<Beyond> beyond_;        // empty without limits, as is the next
  std::vector<std::int64_t> before_;  // excess_before
};

// An empty one, or none if the plan does not show who is active; with limits, if it has some.
std::optional<Presence> empty_presence(const Plan& plan, bool transcript_cap);

// All reports and enrolments but those of the devices in the rows up to `through`.
// Requires sums of the presence's plan.
Sums without_rows(const Sums& all, const Presence& presence, Period through);

}  // namespace futurerand
