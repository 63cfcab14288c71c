// Client: one device's part in one metric, durable: values in, reports out, and never more than the
// plan's epsilon over the whole horizon. [OWW22] Alg. 1.
//
// The new state, with its outbox, is saved before any of it becomes visible. So an index is
// randomized only once. A restored old state with the same values gives the same bits. After any
// failure (entropy, store, damaged state, other terms) nothing is sent and the client is unchanged.
// If somebody else changed its record, the client stops for good and releases nothing more. No
// error names a value, noise or key.
//
//   Result<Client> client = Client::open(terms, period, ledger, store, entropy);
//   client->observe(period, value);
//   send(*client, connection);                      // transport/send.hpp
//
// The value must never decide whether an application enrols, observes or goes quiet: participation
// and its times are visible.
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

// The due and unacknowledged messages: send the enrolment first, then the reports. Each report fits
// in one accepted line; only a long backlog needs several.
struct Outbox {
  std::optional<Enrolment> enrolment;
  std::vector<Report> reports;
  // After leaving: only one of these.
  std::optional<Leave> leave = {};
  std::optional<Forget> forget = {};
  // The index to acknowledge once the server has everything.
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
  Value value;  // of the metric's kind (core/coding/coding.hpp)
};

class Client {
 public:
  // Continues from the stored state of this metric, or else joins in `period`: draws id, view,
  // noise and key from `entropy`, charges the ledger and saves the state. The store must outlive
  // the client. If the ledger was saved and the state cannot be, the metric is spent on this
  // device: it cannot be joined again. Error codes: kBusy if another client of this metric exists.
  // kNotStarted before the first period. kRefused by the ledger, after the last period, or if the
  // terms differ from the joined ones. kDamaged if state and ledger contradict each other or are
  // unreadable. kNoEntropy. kNoRoom.
  //
  // kRefused for a metric of a group if the device drew another one (group_draw.hpp).
  //
  // The terms may be those of a season (rolling_client.hpp). The periods are then the season's, the
  // ledger counts the season, and the state of an earlier season is replaced.
  //
  // The segment is public and sent in the clear, so it must never depend on the value. kInvalid
  // unless it is one of the plan's, or empty where the plan has none. A device stays in the segment
  // that it joined with, whatever is given later.
  static Result<Client> open(const MetricTerms& terms, Period period, Ledger& ledger,
                             StateStore& store, RandomSource& entropy,
                             std::string_view segment = {});
  // Asks the ledger whether open() may join in this period.
  static Status check_join(const MetricTerms& terms, Period period, const Ledger& ledger);
  // Continues from the state of this season, and never joins. Returns nothing without such a state;
  // the state of another season is then erased.
  static Result<std::optional<Client>> open_season(const MetricTerms& terms, const Ledger& ledger,
                                                   StateStore& store);

  // Observes one value per period; periods only go forward. The first value of a period counts, and
  // missed periods keep the last value. A period past the horizon adds no value: the last one is
  // held to the end, and the metric closes. kInvalid for a value of another kind.
  Status observe(Period period, const Value& value);
  // The same for many values, in the order of their periods, saved once. All of them count, or none
  // if one is invalid or the state cannot be saved.
  Status observe(std::span<const Observation> all);
  // Starts this period: signs of earlier periods may now be sent. observe() does the same. Nothing
  // is saved, and time does not go back.
  void begin_period(Period period) { running_ = period > running_ ? period : running_; }

  // Ends the horizon: the last value is held to the end. A device without any observed value
  // reports nothing.
  Status finish();
  // Overwrites the saved state, including noise, key and values, and stops for good.
  Status erase_state();
  // True if the collector has everything this client will ever send.
  bool delivered() const {
    if (left()) return departure_->told > 0;
    return closed() && state_->enrolled && state_->num_acknowledged == state_->signs.size();
  }

  // Returns only messages about finished periods: a collector rejects others as early.
  Outbox outbox() const;
  // Returns the outbox of these lines, for acknowledge(). Fails with kInvalid unless all of them
  // are lines of this client, current or from before an acknowledgement.
  Result<Outbox> outbox_of(std::string_view lines) const;
  // Acknowledges the enrolment, and all reports below next_index (0: the enrolment only).
  Status acknowledge(std::uint32_t next_index);
  // Handles a server that lost reports, as after the restore of an older backup: the same signs
  // from this index on are in the outbox again; with 0 the enrolment and all signs.
  Status send_again(std::uint32_t first_index);
  // True if this device reports this index: not one from before joining, or between its own.
  bool reports_index(std::uint32_t index) const {
    return state_ && state_->device.index_of(state_->device.num_before(index)) == index;
  }

  // Leaves the metric in this period for good; this must not depend on the value. Noise, key, value
  // and signs are erased, and the outbox has one line with the departure. The ledger keeps its
  // entry, and the metric cannot be joined again. A second call is begin_period().
  Status leave(Period period);
  // Leaves, and asks the collector to remove the device's reports. The right to ask is the id,
  // which is erased with the metric. docs/device.md lists the limits.
  Status forget(Period period);
  // Records that this collector cannot remove reports: the device only leaves.
  Status leave_instead();
  // Does the same as forget() for a season whose state was erased after the collector had all of
  // it. The ledger still has its id. Nothing if the ledger has no such season any more.
  static Result<std::optional<Client>> forget_erased(const MetricTerms& terms, const Ledger& ledger,
                                                     StateStore& store);
  bool left() const { return departure_.has_value(); }
  bool asks_to_be_forgotten() const { return departure_ && departure_->forget; }

  const std::string& metric() const { return metric_; }
  std::uint64_t season() const { return season_; }  // 0 for a metric with one horizon
  const Coding& coding() const { return coding_; }
  const ClientId& id() const { return id_; }
  // 0 after leaving: it is erased too.
  std::uint32_t view() const { return state_ ? state_->device.view() : 0; }
  // The public segment that it joined with; empty if there is none, or once it left.
  std::string_view segment() const { return state_ ? std::string_view(state_->segment) : ""; }
  Period joined() const { return state_ ? state_->device.joined() : departure_->period; }
  // The last observed period, or the period of leaving.
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
                             RecordLease lease, RandomSource& entropy, std::string_view segment);

  static Status save_erased(RecordLease& lease);

  // Observes checked values.
  Status take(std::span<const Observation> all);
  // Records the server's state: the enrolment, and the number of signs.
  Status stand(bool enrolled, std::uint32_t num_acknowledged);
  // Saves `next` and takes its content, or fails unchanged. Either way the other one is erased.
  Status commit(ClientMemory next, RecordLease::Step step = RecordLease::Step::kCounted);
  // The same for a departure; the earlier content is erased.
  Status depart(const Departure& next, RecordLease::Step step = RecordLease::Step::kCounted);
  Status depart(Period period, bool forget);
  // True if its line must be sent: it is not acknowledged, or a new period has begun.
  bool departure_is_due() const;

  RecordLease lease_;
  std::string metric_;
  std::uint64_t season_;
  Coding coding_;
  ClientId id_;
  Period horizon_;
  CodingRow row_;
  Period running_;                      // the latest period known to have begun; not saved
  bool was_enrolled_;                   // since opening, it gave lines without the enrolment
  std::optional<ClientMemory> state_;   // none once it left
  std::optional<Departure> departure_;  // none before
};

}  // namespace futurerand
