// Sends a device's outbox: repeats until answered, and acknowledges the received lines. Devices and
// fleets share this code.
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

// Sends the due lines of these clients of one device in one request, and acknowledges the lines
// that the collector has. Those that it does not have stay due. Sections that it cannot take now
// are sent again after a pause, as a whole request is (post_lines_to). If it lost what it had, that
// is sent again at once, and the counts are those of the second answer. One client's failure does
// not hold up the others: the first one is returned. Asks nobody if nothing is due.
Result<LineCounts> send(std::span<Client* const> clients, HttpConnection& connection,
                        const RetryPolicy& policy = {},
                        const RetryTools& tools = system_retry_tools());
Result<LineCounts> send(Client& client, HttpConnection& connection, const RetryPolicy& policy = {},
                        const RetryTools& tools = system_retry_tools());
// The same for a client of any metric: each season's lines go to the season's address. A failing
// season does not delay the others; the first failure is returned.
Result<LineCounts> send(RollingClient& client, HttpConnection& connection,
                        const RetryPolicy& policy = {},
                        const RetryTools& tools = system_retry_tools());

// Sends many clients of one metric in one request. `deliver` carries it and repeats it until
// answered. Fails if `deliver` fails, or if a client cannot save its state.
using DeliverLines = std::function<Result<ReportAnswer>(std::string_view lines)>;
Result<SentBatch> send_batch(std::span<Client* const> clients, const DeliverLines& deliver);

}  // namespace futurerand
