// Presence: who is still there, as sums by the period of leaving. Each device that was not heard of
// stands in the row of the first period that it has not told of; subtracting rows from the sums of
// all gives the sums of those who were there at any period. For plans that show who is active:
// those in which every device reports every period (`innovation`), and those with heartbeats.
// active.md says what it is for, and proves it.
//
// In long plans several periods, a step, are one period of leaving for those who are gone: their
// rows are merged into the row of the step's first period.
//
// With limits on what a transcript can say it also adds up what was said beyond them, so that
// estimates can leave it out (transcript_limits.hpp).
//
// Memory: for each pair of periods, of which one is a period that somebody left in, 16 bytes; with
// heartbeats 8 bytes a view, and 16 for each index that is due in the other (24 where some symbols
// are silent). A merged row has 8 more for each index without heartbeats.
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/plan/gone.hpp"
#include "futurerand/core/plan/schedule.hpp"
#include "futurerand/estimator/sums.hpp"
#include "futurerand/estimator/told.hpp"
#include "futurerand/estimator/transcript_limits.hpp"

namespace futurerand {

// Which periods of leaving are told apart.
struct LeavingRule {
  Period step;        // so many are one for those who are gone; a power of two
  Period gone_after;  // who is missing for so many periods is gone
};

class Presence {
 public:
  // Those whose first missing period is the row's, or one from there to its end (`end_of`) in a
  // merged row. The vectors are empty if there are no devices.
  struct Row {
    std::uint64_t devices = 0;
    // One view after the other, of each the indices that are due by the row's end.
    std::vector<std::int64_t> sums;     // of signs
    std::vector<std::uint64_t> silent;  // how many were silent; empty if none may be
    std::vector<std::uint64_t> told;    // how many told it; empty if all who had joined did
    // One view after the other, of each the periods up to the row's end.
    std::vector<std::uint64_t> joined;  // devices that joined in exactly this period
    // What its devices said beyond their limits, in limits' units: when they were last heard, if it
    // is not merged; and in each period from the first of its step to before its end.
    std::int64_t excess = 0;
    std::vector<std::int64_t> excess_in;
    friend bool operator==(const Row&, const Row&) = default;
  };

  // Requires a plan that shows_who_is_active. With limits, which are those of the plan, it keeps
  // what transcripts said beyond them. Without a rule steps are the plan's, and nobody is gone
  // before the largest gone_after.
  explicit Presence(const Plan& plan, std::shared_ptr<const TranscriptLimits> limits = nullptr)
      : Presence(plan, std::move(limits),
                 {leaving_step(plan.num_periods, plan.heartbeats), kMaxGoneAfter}) {}
  Presence(const Plan& plan, std::shared_ptr<const TranscriptLimits> limits,
           const LeavingRule& rule);

  // Puts a device into its row, or takes it out again. Requires next <= num_periods().
  void put(const Told& told) { move(told, 1); }
  void take_out(const Told& told) { move(told, -1); }

  // Merges the rows of those who are gone by the rule while `current` runs. They stay merged:
  // whoever left as early is put into a merged row from now on.
  void merge_gone(Period current);
  // The same for the rows up to a period. Nothing where a step is one period.
  void merge_rows(Period through);

  // The report that a device makes in the very period it joined in: innovation of newcomers is
  // large, so that it is scaled apart. Of plans without heartbeats. Requires 1 <= period <=
  // num_periods().
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
  void subtract_row(Period at, Sums& sums) const;

  Period num_periods() const { return static_cast<Period>(rows_.size()); }
  const LeavingRule& rule() const { return rule_; }
  // Rows are merged up to this period; 0 if none is.
  Period merged() const { return merged_; }
  // Whether those who left in this period count as gone from the first of its step on.
  bool is_merged(Period left) const { return left <= merged_; }
  // The row in which those stand who left in a period, and the last period that a row is of.
  Period row_of(Period left) const { return is_merged(left) ? first_of(left) : left; }
  Period end_of(Period row) const;
  bool has_heartbeats() const { return heartbeats_; }
  bool may_be_zero() const { return may_be_zero_; }
  // Of merged rows only the first of each step has devices.
  const Row& row(Period at) const { return rows_[at - 1]; }
  void set_row(Period at, Row row) { rows_[at - 1] = std::move(row); }
  // One of nobody, with vectors of that row's sizes.
  Row zero_row(Period at) const;
  const IndexSum& newcomers(Period period) const { return newcomers_[period - 1]; }
  // How many devices have this period as their first missing one. Requires heartbeats.
  std::uint64_t missing(Period period) const { return missing_[period - 1]; }
  // Null if it has none.
  const TranscriptLimits* limits() const { return limits_.get(); }
  // What those who told a period said beyond their limits then. Requires limits.
  const Beyond& beyond(Period period) const { return beyond_[period - 1]; }
  // The same of those for whom it is the first that is missing, from what they had told before.
  std::int64_t excess_before(Period period) const { return before_[period - 1]; }
  // The excess of those who told a period and, as they left later in its step, count as gone in it.
  std::int64_t excess_of_merged(Period period) const;
  void add_beyond(Period period, const Beyond& beyond, std::int64_t excess_before);
  std::uint64_t memory_bytes() const;

  // Of the same plan.
  friend bool operator==(const Presence& a, const Presence& b) {
    return a.merged_ == b.merged_ && a.newcomers_ == b.newcomers_ && a.missing_ == b.missing_ &&
           a.rows_ == b.rows_ && a.beyond_ == b.beyond_ && a.before_ == b.before_;
  }

 private:
  void move(const Told& told, int times);
  void hear(const Told& told, Period from, int times);
  // Adds the row of those who left in a period by which rows are merged.
  void merge_row(const Row& from, Period left);
  // The first period of the step that a period is in.
  Period first_of(Period period) const { return (period - 1) / rule_.step * rule_.step + 1; }
  // Where the indices of a view begin in a row that ends so.
  std::size_t begin_of(std::uint32_t view, Period end) const;

  LeavingRule rule_;
  Period merged_ = 0;
  std::vector<Schedule> views_;
  bool heartbeats_;
  bool may_be_zero_ = false;
  std::vector<IndexSum> newcomers_;     // empty with heartbeats
  std::vector<std::uint64_t> missing_;  // empty without
  std::vector<Row> rows_;
  std::shared_ptr<const TranscriptLimits> limits_;
  std::vector<Beyond> beyond_;        // empty without limits, as is the next
  std::vector<std::int64_t> before_;  // excess_before
};

// An empty one, or none if the plan does not show who is active; with limits, if it has some.
std::optional<Presence> empty_presence(const Plan& plan, bool transcript_cap,
                                       Period gone_after = kMaxGoneAfter);

// All reports and enrolments but those of the devices in the rows up to `through`; a merged row
// goes as a whole. Requires sums of the presence's plan.
Sums without_rows(const Sums& all, const Presence& presence, Period through);

}  // namespace futurerand
