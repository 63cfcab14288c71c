// Ledger: the epsilon of every joined metric, against limits of the application. A charge is saved
// before it is used. The total only grows, because what was sent stays sent. Sequential
// composition: the device's whole loss is at most the sum.
//
// A window limits the cost of any stretch of time. The rule: a new charge, together with all
// charges whose span ends after from - seconds, is at most E. Then the spans that meet any window
// of `seconds` sum to at most E. Proof: Take the span charged last among those that meet the window
// [a, a + seconds). It meets the window, so from < a + seconds. Every other one ends after
// a > from - seconds. So the last charge counted it.
//
// The ledger lives with the device's states and is bound to them: each entry has the id under which
// the metric was joined, and a state without its entry is damage, never a fresh start. Whoever
// loses all of them is a new device. Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/client/record_lease.hpp"
#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/metric_group.hpp"
#include "futurerand/core/plan/report.hpp"

namespace futurerand {

// The time whose values a metric or season may use: from the beginning of the period of joining to
// the end of the last period, in seconds since 1970. The default is right without any clock, and
// the most expensive: it counts with every other span, for ever.
struct LedgerSpan {
  static constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

  std::int64_t from = 0;
  std::int64_t until = kNoEnd;
  friend bool operator==(const LedgerSpan&, const LedgerSpan&) = default;
};

// Writes "1.5" from billionths that may be more than any one Epsilon.
std::string budget_text(std::int64_t nanos);

class Ledger {
 public:
  static constexpr std::size_t kMaxNameBytes = 128;
  static constexpr std::int64_t kNoEnd = LedgerSpan::kNoEnd;
  static constexpr std::int64_t kMaxWindowSeconds = 100LL * 366 * 86'400;

  using Span = LedgerSpan;

  struct Entry {
    std::string metric;
    Epsilon epsilon;
    ClientId client;
    Span span = {};
    std::uint64_t season = 0;  // of an endless metric; 0 for a metric with a fixed horizon
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  // The pinned terms of an endless metric. They outlive the state of each season.
  struct Series {
    std::string metric;
    Digest terms{};
    std::uint32_t phase = 0;
    std::uint64_t last_season = 0;  // the last one that was charged or sat out, or 0
    // The sum of older seasons, which have no entries any more, and the latest of their ends.
    std::int64_t earlier_nanos = 0;
    std::int64_t earlier_until = 0;
    friend bool operator==(const Series&, const Series&) = default;
  };

  // A group of metrics and the one that this device drew, for ever. No other member can be charged.
  // The draw is saved before anything is charged for it, and costs nothing: it is made before any
  // data.
  struct Draw {
    MetricGroup group;
    std::string metric;
    friend bool operator==(const Draw&, const Draw&) = default;
  };

  struct Window {
    Epsilon epsilon;
    std::int64_t seconds;
    friend bool operator==(const Window&, const Window&) = default;
  };

  // These are what the application allows, whatever servers ask for.
  struct Limits {
    Epsilon ceiling;                         // for all metrics together, for ever
    std::optional<Epsilon> per_metric = {};  // for each of them, or each season of an endless one
    std::optional<Window> window = {};       // for everything inside any so many seconds
    friend bool operator==(const Limits&, const Limits&) = default;
  };

  // The store must outlive the ledger, of which there is one at a time: kBusy otherwise. kDamaged
  // if the store has the state of a metric that the ledger does not know.
  static Result<Ledger> open(StateStore& store, const Limits& limits);
  static Result<Ledger> open(StateStore& store, Epsilon ceiling) {
    return open(store, Limits{ceiling});
  }
  // Opens it with the limits of the last charge, to show it. kNotFound if the store has no ledger.
  static Result<Ledger> open_as_saved(StateStore& store);

  // Limits everything inside any so many seconds, from now on.
  Status set_window(const Window& window);

  // Sets the device's own time, in seconds since 1970. Time only moves forward: an earlier time is
  // ignored. Each charge saves it. A time without a charge may be forgotten: an earlier time only
  // makes the device wait longer. Never pass a server's time.
  void believe(std::int64_t now) { believed_ = now > believed_ ? now : believed_; }
  // Returns the latest time told, or 0.
  std::int64_t believed() const { return believed_; }

  // Returns the entry of a metric that was joined, of an endless one that of its last season, or
  // null.
  const Entry* find(std::string_view metric) const;
  // Returns the entry of one season, or null if it was not charged or is part of the earlier sum.
  const Entry* find_season(std::string_view metric, std::uint64_t season) const;
  // Returns what was pinned of an endless metric, or null.
  const Series* find_series(std::string_view metric) const;

  // Returns the draw among a group of this name, or null.
  const Draw* find_draw(std::string_view group) const;
  // Tells whether a group that was drawn has this metric, and the draw fell on another one.
  bool drew_another(std::string_view metric) const;

  // Checks whether a group may be drawn. kRefused for a name that was drawn before with other
  // members or shares, and if a member was joined before or is in another group.
  Status check_draw(const MetricGroup& group) const;
  // Saves what was drawn, for ever. The same group again keeps the first draw. The codes of failure
  // are those of check_draw(). Requires a metric of the group.
  Status begin_group(const MetricGroup& group, std::string_view drawn);

  // Checks whether this metric may be joined. kRefused past a limit, for a name joined before under
  // any plan, for a metric of a group that was not drawn, and for a span in the past. kNotStarted
  // if the window has room later, and for a span in the future.
  Status check(std::string_view metric, Epsilon epsilon, const Span& span = {}) const;
  // Asks the same, and spends: saved on success; on failure this ledger is as before.
  Status charge(std::string_view metric, Epsilon epsilon, const ClientId& client,
                const Span& span = {});

  // Pins terms and phase of an endless metric, and saves them. The same terms again change nothing,
  // and the first phase stays. kRefused for other terms, and for a name that was joined.
  Status begin_series(std::string_view metric, const Digest& terms, std::uint32_t phase);
  // As check() and charge(), for a season of a series. kNotFound without the series; kRefused for a
  // season that is not after the last one.
  Status check_season(std::string_view metric, std::uint64_t season, Epsilon epsilon,
                      const Span& span) const;
  Status charge_season(std::string_view metric, std::uint64_t season, Epsilon epsilon,
                       const ClientId& client, const Span& span);
  // Sits a season out, as a whole: it can never be charged. Saved, and nothing is spent. The codes
  // of failure are those of check_season().
  Status sit_out(std::string_view metric, std::uint64_t season);

  const Limits& limits() const { return limits_; }
  const std::vector<Entry>& entries() const { return book_.entries; }
  const std::vector<Series>& series() const { return book_.series; }
  const std::vector<Draw>& draws() const { return book_.draws; }
  std::int64_t spent_nanos() const;
  // Returns what counts in the window of a span that begins then. Requires a window.
  std::int64_t window_nanos(std::int64_t from) const;
  // Returns the earliest time for a span of this epsilon, at or after the believed time. Nothing if
  // the limits never allow it.
  std::optional<std::int64_t> fits_from(Epsilon epsilon) const;

 private:
  struct Book {
    std::vector<Entry> entries;
    std::vector<Series> series;
    std::vector<Draw> draws;
  };

  Ledger(RecordLease lease, const Limits& limits) : lease_(std::move(lease)), limits_(limits) {}
  static Result<Ledger> read_store(StateStore& store, const Limits* limits);
  Result<Limits> read(std::span<const std::uint8_t> bytes);
  // Saves this book and becomes it, or fails and stays as it is.
  Status save(Book book);
  // Checks that every state in the store has its entry.
  Status check_states(StateStore& store) const;
  Status check_drawn(std::string_view metric) const;
  // Checks that this season of a series comes next.
  Status check_order(std::string_view metric, std::uint64_t season) const;
  // Checks the limits, and the span.
  Status check_limits(std::string_view what, Epsilon epsilon, const Span& span) const;

  RecordLease lease_;
  Limits limits_;
  Book book_;
  std::int64_t believed_ = 0;
};

}  // namespace futurerand
