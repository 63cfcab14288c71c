// Applies a collector's answer to the clients of its lines. The transport (transport/send.hpp, or
// an application's own HTTP) passes the answer here.
//
// Thread safety: that of the clients.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "futurerand/client/client.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

// The outcome of one client's outbox.
struct SentOutbox {
  Outbox outbox;                 // as it was sent
  std::uint32_t next_index = 0;  // the collector has all reports below it
  bool acknowledged = false;     // and the client knows
  // The collector lost acknowledged reports, as after the restore of an older backup. They are in
  // the client's outbox again: send it.
  bool again = false;
  // The collector rejects a line: kRefused permanently, kNotStarted or kNoRoom for now.
  std::optional<Error> refusal = {};
};

struct SentBatch {
  LineCounts counts;
  std::vector<SentOutbox> clients;  // in the order given
};

// `answer` answers a request with the lines of these outboxes, in this order; each is from its
// client. Acknowledges everything the collector has: a whole outbox, or a part if the collector's
// clock is behind. If the collector expects older reports again, the client moves them back into
// its outbox. Fails with kInvalid, and acknowledges nothing, if the answer has another number of
// lines: it belongs to another request. Fails if a client cannot save its state.
Result<SentBatch> acknowledge(std::span<Client* const> clients, std::vector<Outbox> outboxes,
                              const ReportAnswer& answer);

}  // namespace futurerand
