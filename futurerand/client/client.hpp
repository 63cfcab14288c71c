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
  // Acknowledge this index once the server has all of it.
  std::uint32_t next_index = 0;

  std::uint32_t num_lines() const {
    return (enrolment ? 1U : 0U) + static_cast<std::uint32_t>(reports.size());
  }
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
  // this device: it cannot be joined again. The codes of failure: kBusy while there is another
  // client of this metric, kRefused by the ledger or where the terms are not those that were
  // joined, kDamaged where state and ledger contradict each other or cannot be read, kNoEntropy,
  // kNoRoom.
  static Result<Client> open(const MetricTerms& terms, Period period, Ledger& ledger,
                             StateStore& store, RandomSource& entropy);

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
    return state_.device.index_of(state_.device.num_before(index)) == index;
  }

  const std::string& metric() const { return metric_; }
  const Coding& coding() const { return coding_; }
  const ClientId& id() const { return state_.id; }
  std::uint32_t view() const { return state_.device.view(); }
  Period now() const { return state_.device.now(); }  // the last period observed
  bool closed() const { return now() == state_.device.horizon(); }

 private:
  Client(RecordLease lease, const MetricTerms& terms, ClientMemory state)
      : lease_(std::move(lease)),
        metric_(terms.name),
        coding_(terms.plan.plan().coding),
        row_(row_of(coding_, state.id.bytes)),
        running_(state.device.now()),
        was_enrolled_(state.enrolled),
        state_(std::move(state)) {}
  static Result<Client> join(const MetricTerms& terms, Period period, Ledger& ledger,
                             RecordLease lease, RandomSource& entropy);

  // Says what the server has: whether the enrolment, and how many of the signs.
  Status stand(bool enrolled, std::uint32_t num_acknowledged);
  // Saves `next` and becomes it, or fails and stays as it is; either way the other is erased.
  Status commit(ClientMemory next);

  RecordLease lease_;
  std::string metric_;
  Coding coding_;
  CodingRow row_;
  Period running_;     // the latest period known to have begun; not saved
  bool was_enrolled_;  // at some time since it was opened: it gave lines without the enrolment
  ClientMemory state_;
};

}  // namespace futurerand
