// Client: one device's part in one metric, durable: values in, reports out, and never more than the
// plan's epsilon over the whole horizon. [OWW22] Alg. 1.
//
// The new state, outbox included, is saved before anything of it can be seen, so an index is
// randomized once, ever. An old copy of the state that comes back and is shown the same values
// gives the same bits. Whatever fails (entropy, store, damaged state, other terms), nothing is sent
// and the client is as it was. If somebody else changed its record meanwhile, it stops for good:
// nothing more comes out of it. No error names a value, noise or key.
//
//   Result<Client> client = Client::open(terms, period, ledger, store, entropy);
//   client->observe(period, value);
//   send(*client, connection);                      // transport/send.hpp
//
// Applications must enrol, and observe every period or be silent, whatever the value is: that a
// device takes part, and when, is not hidden.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/client/client_memory.hpp"
#include "futurerand/client/departure.hpp"
#include "futurerand/client/ledger.hpp"
#include "futurerand/client/metric_terms.hpp"
#include "futurerand/client/record_lease.hpp"
#include "futurerand/client/state_store.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/coding/row.hpp"
#include "futurerand/core/plan/report.hpp"
#include "futurerand/core/randomizer/random_source.hpp"

namespace futurerand {

// This is what is due and not acknowledged: send the enrolment first, then the reports. Each report
// fits in a line that a collector takes; only a long backlog needs more than one.
struct Outbox {
  std::optional<Enrolment> enrolment;
  std::vector<Report> reports;
  // One of them, and nothing else, once the device has left.
  std::optional<Leave> leave = {};
  std::optional<Forget> forget = {};
  // Acknowledge this index once the server has all of it.
  std::uint32_t next_index = 0;

  std::uint32_t num_lines() const {
    return (enrolment ? 1U : 0U) + static_cast<std::uint32_t>(reports.size()) +
           (departs() ? 1U : 0U);
  }
  bool departs() const { return leave || forget; }
};

// Returns lines of the wire, each with its newline.
std::string to_lines(const Outbox& outbox);

struct Observation {
  Period period;
  Value value;  // of the kind that the metric asks for (core/coding/coding.hpp)
};

class Client {
 public:
  // Goes on from the state that the store has of this metric, or else joins in `period`: draws id,
  // view, noise and key from `entropy`, charges the ledger and saves the state. The store must
  // outlive the client. If the state cannot be saved after the ledger was, the metric is spent on
  // this device: it cannot be joined again. Codes of failure: kBusy if another client of this
  // metric exists. kNotStarted before the first period. kRefused by the ledger, after the last
  // period, or if the terms differ from the joined ones. kDamaged if state and ledger contradict
  // each other or are unreadable. kNoEntropy. kNoRoom.
  //
  // The terms may be those of a season (rolling_client.hpp). The periods are then the season's, the
  // ledger counts the season, and the state of an earlier season is replaced.
  static Result<Client> open(const MetricTerms& terms, Period period, Ledger& ledger,
                             StateStore& store, RandomSource& entropy);
  // Asks the ledger whether open() may join in this period.
  static Status check_join(const MetricTerms& terms, Period period, const Ledger& ledger);
  // Goes on from the state of this season, and joins never. Nothing if there is none; the state of
  // another season is then erased.
  static Result<std::optional<Client>> open_season(const MetricTerms& terms, const Ledger& ledger,
                                                   StateStore& store);

  // Takes one value a period, periods only forward: the first value of a period counts, and missed
  // periods hold the last value. A period past the horizon brings no value of its own: the last one
  // is held to the end, and the metric closes. kInvalid for a value that the metric does not take.
  Status observe(Period period, const Value& value);
  // The same for many, in the order of their periods, saved once: all of them count, or, if one is
  // refused or the state cannot be saved, none.
  Status observe(std::span<const Observation> all);
  // Says that this period has begun: what was randomized for those before it may be sent. observe()
  // says so too; nothing is saved, and time does not go back.
  void begin_period(Period period) { running_ = period > running_ ? period : running_; }

  // Says that the horizon is over: the last value is held to the end. Nothing is reported of a
  // device that never observed a value.
  Status finish();
  // Overwrites the saved state, with noise, key and values, and stops for good.
  Status erase_state();
  // Tells whether the collector has all that this client ever sends.
  bool delivered() const {
    if (left()) return departure_->told > 0;
    return closed() && state_->enrolled && state_->num_acknowledged == state_->signs.size();
  }

  // Returns only what concerns finished periods: a collector refuses what is not over as early.
  Outbox outbox() const;
  // Returns the outbox whose lines these are, for acknowledge(). Fails with kInvalid unless all of
  // them are lines that this client gives, or gave before some were acknowledged.
  Result<Outbox> outbox_of(std::string_view lines) const;
  // Says that the server has the enrolment, and all reports below next_index (0: the enrolment
  // only).
  Status acknowledge(std::uint32_t next_index);
  // Says that the server lost what it had, as after an older backup was restored: the signs from
  // this index on are in the outbox again, the same ones; with 0 the enrolment and all signs.
  Status send_again(std::uint32_t first_index);
  // Tells whether this device reports this index: not one before it joined, or between its own.
  bool reports_index(std::uint32_t index) const {
    return state_ && state_->device.index_of(state_->device.num_before(index)) == index;
  }

  // Leaves the metric in this period, whatever the value is, for good: noise, key, value and signs
  // are erased, and the outbox has one line that says so. The ledger keeps what was spent, and the
  // metric cannot be joined again. Once it left, this does nothing.
  Status leave(Period period);
  // Leaves, and asks the collector to take out what the device reported. The id, which is erased
  // with the metric, is the right to ask. docs/device.md says what cannot be taken back.
  Status forget(Period period);
  // Says that this collector cannot take reports out: the device only leaves.
  Status leave_instead();
  bool left() const { return departure_.has_value(); }
  bool asks_to_be_forgotten() const { return departure_ && departure_->forget; }

  const std::string& metric() const { return metric_; }
  std::uint64_t season() const { return season_; }  // 0 for a metric with one horizon
  const Coding& coding() const { return coding_; }
  const ClientId& id() const { return id_; }
  // 0 once it left: that is erased too.
  std::uint32_t view() const { return state_ ? state_->device.view() : 0; }
  Period joined() const { return state_ ? state_->device.joined() : departure_->period; }
  // The last period observed, or that in which it left.
  Period now() const { return state_ ? state_->device.now() : departure_->period; }
  bool closed() const { return left() || now() == horizon_; }

 private:
  Client(RecordLease lease, const MetricTerms& terms, ClientMemory state)
      : lease_(std::move(lease)),
        metric_(terms.name),
        season_(terms.season),
        coding_(terms.plan.plan().coding),
        id_(state.id),
        horizon_(terms.plan.plan().num_periods),
        row_(row_of(coding_, id_.bytes)),
        running_(state.device.now()),
        was_enrolled_(state.enrolled),
        state_(std::move(state)) {}
  Client(RecordLease lease, const MetricTerms& terms, const Departure& departure)
      : lease_(std::move(lease)),
        metric_(terms.name),
        season_(terms.season),
        coding_(terms.plan.plan().coding),
        id_(departure.id),
        horizon_(terms.plan.plan().num_periods),
        row_(row_of(coding_, id_.bytes)),
        running_(departure.told > 0 ? departure.told : departure.period),
        was_enrolled_(true),
        departure_(departure) {}
  Result<Outbox> outbox_of_departed(std::string_view lines) const;
  static Result<Client> join(const MetricTerms& terms, Period period, Ledger& ledger,
                             RecordLease lease, RandomSource& entropy);

  static Status save_erased(RecordLease& lease);

  // Takes values that were checked.
  Status take(std::span<const Observation> all);
  // Says what the server has: whether the enrolment, and how many of the signs.
  Status stand(bool enrolled, std::uint32_t num_acknowledged);
  // Saves `next` and becomes it, or fails and stays as it is; either way the other is erased.
  Status commit(ClientMemory next);
  // The same for a departure: what it was before is erased.
  Status depart(const Departure& next);
  Status depart(Period period, bool forget);
  // Whether its line is to be sent: it is not acknowledged, or a new period has begun since.
  bool departure_is_due() const;

  RecordLease lease_;
  std::string metric_;
  std::uint64_t season_;
  Coding coding_;
  ClientId id_;
  Period horizon_;
  CodingRow row_;
  Period running_;     // the latest period known to have begun; not saved
  bool was_enrolled_;  // at some time since it was opened: it gave lines without the enrolment
  std::optional<ClientMemory> state_;   // none once it left
  std::optional<Departure> departure_;  // none before
};

}  // namespace futurerand
