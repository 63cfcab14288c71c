// RollingClient: one device's part in any metric. A metric with one horizon is a Client. In a
// metric without an end, the device walks from season to season: it joins, observes, sends, erases
// the season, rests, and joins again with a new id and new noise.
//
//   ledger.believe(now);                                         // the device's own clock
//   Result<RollingClient> client = RollingClient::open(terms, period, ledger, store, entropy);
//   client->observe(period, value);
//   send(*client, connection);                                   // transport/send.hpp
//
// The promise, with a rest of at least W periods: values inside any W periods in a row change the
// probability of everything the device ever sends by at most a factor e^epsilon. Over a life of L
// periods the factor is e^(epsilon J), J = Calendar::seasons_in(L). The ledger enforces both over
// all metrics.
//
// - The device draws its phase once, from entropy. The ledger keeps it, with the digest of the
//   terms, for ever.
// - The device works out the season from its phase and its own clock. A server's period must agree
//   within one period, and decides nothing.
// - Only values of a season enter it. A device joins with a value, and never looks back.
// - A season that the limits do not allow is sat out, as a whole. That never depends on a value.
// - Of a group of metrics, the device takes part in the one that it drew (group_draw.hpp). A client
//   of any other member accepts all calls, keeps and sends nothing, and has no parts.
// - A season's state is erased in the first call after the collector has all of it, and at the
//   latest when the grace period is over.
//
// Thread safety: one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/client/client.hpp"

namespace futurerand {

class RollingClient {
 public:
  // Goes on from what the store has of this metric. If there is nothing, it joins a metric with one
  // horizon in `period`, and pins the terms of one without an end, whose seasons observe() joins.
  // Ledger, store and entropy must outlive the client. The codes of failure are those of
  // Client::open. The segment is that of Client::open. A season that is joined keeps its own, and
  // the next one states what was given last.
  static Result<RollingClient> open(const MetricTerms& terms, Period period, Ledger& ledger,
                                    StateStore& store, RandomSource& entropy,
                                    std::string_view segment = {});

  // As Client::observe. Of a metric without an end, periods are those of its one clock, and the
  // values are those of the current period of the device's own clock. While the device rests,
  // values are ignored. In a list, values of other seasons are ignored. kNotStarted if `period` is
  // not within one period of the device's own clock, or the metric has not started. A device
  // without a clock (Ledger::believe was never called) follows `period`; kInvalid if the limits
  // have a window.
  Status observe(Period period, const Value& value);
  Status observe(std::span<const Observation> all);
  // Whether observe() may join a season, for users who have not agreed. It may by default, and it
  // is not saved.
  void set_joining(bool allowed) { may_join_ = allowed; }
  // As Client::begin_period. It erases a season that is over, and joins nothing.
  Status begin_period(Period period);

  // As Client::leave and Client::forget. Of a metric without an end, they concern the current
  // season and the one before it, while the collector still accepts its lines: until its grace
  // period is over. Figures of older seasons are final. The next season is joined as before.
  Status leave(Period period) { return depart(period, false); }
  Status forget(Period period) { return depart(period, true); }

  // Returns the clients that may have lines, the oldest first. Each has its own address:
  // reports_path(). They stay valid until the next call that is not const.
  std::vector<Client*> parts();
  // Returns the part whose lines these are, or the error of Client::outbox_of.
  Result<Client*> part_of(std::string_view lines);
  // Returns the part with lines to send, the oldest first, or null.
  Client* due();

  const std::string& metric() const { return terms_.name; }
  const Coding& coding() const { return terms_.plan.plan().coding; }
  bool is_endless() const { return terms_.is_endless(); }
  // Tells whether the device takes part: false for a metric of a group if it drew another one.
  bool takes_part() const { return takes_part_; }
  // Returns the client of the current season, or of the metric with one horizon; null while the
  // device rests or sits out, and if it does not take part.
  const Client* live() const { return parts_[kLive] ? &*parts_[kLive] : nullptr; }
  // Returns the last period of the one clock that was seen, or 0.
  Period now() const;

 private:
  RollingClient(const MetricTerms& terms, Ledger& ledger, StateStore& store, RandomSource& entropy,
                std::string_view segment)
      : terms_(terms), segment_(segment), ledger_(&ledger), store_(&store), entropy_(&entropy) {}

  Status depart(Period period, bool forget);
  // Checks values as a client does, and keeps the last period only.
  Status ignore(std::span<const Observation> all);
  // Pins the terms and draws the phase, unless that was done before.
  Status begin_series();
  // Opens the states of the last two seasons.
  Status open_seasons();
  // Returns the current period by the device's own clock.
  Result<Period> current_period(Period period) const;
  // Ends the seasons that are over in period t.
  Status end_seasons(Period t);
  // Asks for the season before to be forgotten, if the collector still accepts its lines and this
  // device erased its state.
  Status forget_erased_season();
  // Joins the season of period t, unless the phase rests or the ledger refuses.
  Status join_season(Period t);

  static constexpr std::size_t kLive = 0;
  static constexpr std::size_t kFinishing =
      1;  // the season before: its last lines are on their way

  MetricTerms terms_;
  std::string segment_;
  Ledger* ledger_;
  StateStore* store_;
  RandomSource* entropy_;
  std::uint32_t phase_ = 0;
  Period latest_ = 0;
  bool may_join_ = true;
  bool takes_part_ = true;
  std::array<std::optional<Client>, 2> parts_;
};

// Returns the path that takes a client's lines: /v1/metrics/NAME/reports, or that of its season.
std::string reports_path(const Client& client);

}  // namespace futurerand
