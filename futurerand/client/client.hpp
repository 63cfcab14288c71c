// Client: one device's part in one metric, durable: values in, reports out, and never more than the
// plan's epsilon over the whole horizon. [OWW22] Alg. 1.
//
// The new state, outbox included, is saved before anything of it can be seen, so an index is
// randomized once, ever. An old copy of the state that comes back and is shown the same values
// gives the same bits. Whatever fails (entropy, store, damaged state, other terms), nothing is sent
// and the client is as it was. No error names a value, noise or key.
//
// Applications must enrol, and observe every period or be silent, whatever the value is: that a
// device takes part, and when, is not hidden.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "futurerand/client/ledger.hpp"
#include "futurerand/client/metric_terms.hpp"
#include "futurerand/client/state_store.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/report.hpp"
#include "futurerand/core/randomizer/random_source.hpp"
#include "futurerand/device/device.hpp"
#include "futurerand/entropy/coin_ratchet.hpp"

namespace futurerand {

// What the server has not acknowledged: send the enrolment first, then the report.
struct Outbox {
  std::optional<Enrolment> enrolment;
  std::optional<Report> report;
  // What to acknowledge once the server has all of it.
  std::uint32_t next_index = 0;
};

// As lines of the wire, each with its newline.
std::string to_lines(const Outbox& outbox);

class Client {
 public:
  // Draws id, view, noise and key from `entropy`, charges the ledger and saves the state. The store
  // must outlive the client. If the state cannot be saved after the ledger was, the metric is
  // spent on this device: it cannot be joined again.
  static Result<Client> join(const MetricTerms& terms, Period period, Ledger& ledger,
                             StateStore& store, RandomSource& entropy);
  // Goes on from what was saved for this metric.
  static Result<Client> load(const MetricTerms& terms, StateStore& store);

  Client(Client&&) = default;
  Client& operator=(Client&&) = default;

  // One value a period, periods only forward; missed periods hold the last value. A period past
  // the horizon brings no value of its own: the last one is held to the end, and the metric closes.
  Status observe(Period period, bool value);

  Outbox outbox() const;
  // The server has the enrolment, and all reports below next_index (0: the enrolment only).
  Status acknowledge(std::uint32_t next_index);

  const ClientId& id() const { return id_; }
  std::uint32_t view() const { return device_.view(); }
  Period now() const { return device_.now(); }  // the last period observed
  bool closed() const { return device_.now() == device_.horizon(); }

 private:
  friend class ClientCodec;

  Client(StateStore& store, std::string record, const Digest& terms, const ClientId& id,
         Device device, CoinRatchet coins)
      : store_(&store),
        record_(std::move(record)),
        terms_(terms),
        id_(id),
        device_(std::move(device)),
        coins_(std::move(coins)) {}
  Client(const Client&) = default;

  // Saves `next` and becomes it, or fails and stays as it is; either way the other is erased.
  Status commit(Client next);

  StateStore* store_;
  std::string record_;
  Digest terms_;
  ClientId id_;
  bool enrolled_ = false;  // acknowledged
  std::string unsent_;     // signs of the indices before device_.next_index()
  Device device_;
  CoinRatchet coins_;
};

}  // namespace futurerand
