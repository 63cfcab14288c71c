// What a device does to be rid of its outbox: send, repeat until answered, and acknowledge what the
// collector has. Devices and fleets do it alike.
//
// Thread safety: that of the clients and the connection.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "futurerand/client/acknowledge.hpp"
#include "futurerand/client/client.hpp"
#include "futurerand/client/rolling_client.hpp"
#include "futurerand/transport/collector_calls.hpp"

namespace futurerand {

// Sends the due lines of this client and acknowledges the lines that the collector has. That is all
// of them, or fewer if the collector's clock is behind. If it lost what it had, that is sent again
// at once, and the counts are those of the second answer. What it does not have stays in the outbox
// for the next time. Fails as post_lines does, and with the code of a line that the collector does
// not take (acknowledge.hpp); nothing is lost either way. Asks nobody if nothing is due.
Result<LineCounts> send(Client& client, HttpConnection& connection, const RetryPolicy& policy = {},
                        const RetryTools& tools = system_retry_tools());

// The same for a client of any metric: each season's lines go to the season's address. A season
// that fails does not hold up the others; the first failure is returned.
Result<LineCounts> send(RollingClient& client, HttpConnection& connection,
                        const RetryPolicy& policy = {},
                        const RetryTools& tools = system_retry_tools());

// Many clients of one metric in one request, which `deliver` carries and repeats until it is
// answered. Fails if that does or if a client cannot save what it knows.
using DeliverLines = std::function<Result<ReportAnswer>(std::string_view lines)>;
Result<SentBatch> send_batch(std::span<Client* const> clients, const DeliverLines& deliver);

}  // namespace futurerand
