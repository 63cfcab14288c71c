#include "futurerand/transport/send.hpp"

#include <string>

namespace futurerand {

Result<SentBatch> send_batch(std::span<Client* const> clients, const DeliverLines& deliver) {
  std::vector<Outbox> outboxes;
  std::string lines;
  for (const Client* client : clients) {
    outboxes.push_back(client->outbox());
    lines += to_lines(outboxes.back());
  }
  if (lines.empty()) {
    SentBatch nothing;
    for (Outbox& outbox : outboxes) {
      const std::uint32_t next = outbox.next_index;
      nothing.clients.push_back({std::move(outbox), next});
    }
    return nothing;
  }
  const Result<ReportAnswer> answer = deliver(lines);
  if (!answer) return answer.error();
  return acknowledge(clients, std::move(outboxes), *answer);
}

Result<LineCounts> send(Client& client, HttpConnection& connection, const RetryPolicy& policy,
                        const RetryTools& tools) {
  Client* const clients[] = {&client};
  for (bool first = true;; first = false) {
    const Result<SentBatch> sent = send_batch(clients, [&](std::string_view lines) {
      return futurerand::deliver(connection, client.metric(), lines, policy, tools);
    });
    if (!sent) return sent.error();
    if (sent->clients[0].refusal) return *sent->clients[0].refusal;
    // Only once: a collector that always asks for more waits until the next time.
    if (!sent->clients[0].again || !first) return sent->counts;
  }
}

}  // namespace futurerand
