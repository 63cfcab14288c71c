// What a collector's answer means for the clients whose lines it answers. Whoever carries the lines
// (transport/send.hpp, or an application's own HTTP) settles the answer here.
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

// What became of one client's outbox.
struct SentOutbox {
  Outbox outbox;                 // as it was sent
  std::uint32_t next_index = 0;  // the collector has all reports below it
  bool acknowledged = false;     // and the client knows
  // The collector lost what it had acknowledged, as after an older backup was restored. It is in
  // the client's outbox again: send that.
  bool again = false;
  // The collector does not take a line of it: kRefused for good, kNotStarted or kNoRoom for now.
  std::optional<Error> refusal = {};
};

struct SentBatch {
  LineCounts counts;
  std::vector<SentOutbox> clients;  // in the order given
};

// `answer` is to a request with the lines of these outboxes, in this order; each is one that its
// client gave. Acknowledges what the collector has: all of an outbox, or as far as the answer says
// where the collector's clock is behind. Where the collector expects what it had before, the client
// takes it back into its outbox. Fails with kInvalid, and acknowledges nothing, if the
// answer does not count as many lines: it is to another request. Fails if a client cannot save what
// it knows.
Result<SentBatch> acknowledge(std::span<Client* const> clients, std::vector<Outbox> outboxes,
                              const ReportAnswer& answer);

}  // namespace futurerand
