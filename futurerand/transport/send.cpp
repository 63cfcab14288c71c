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
  std::optional<Error> refusal;
  for (bool first = true;; first = false) {
    const Result<SentBatch> sent = send_batch(clients, [&](std::string_view lines) {
      return deliver_to(connection, reports_path(client), lines, policy, tools);
    });
    if (!sent) return sent.error();
    const SentOutbox& client_sent = sent->clients[0];
    if (client_sent.refusal && !(client_sent.again && first)) return *client_sent.refusal;
    if (client_sent.refusal) refusal = client_sent.refusal;
    // Only once: a collector that always asks for more waits until the next time.
    if (client_sent.again && first) continue;
    if (refusal) return *refusal;
    return sent->counts;
  }
}

Result<LineCounts> send(RollingClient& client, HttpConnection& connection,
                        const RetryPolicy& policy, const RetryTools& tools) {
  LineCounts all;
  std::optional<Error> failure;
  for (Client* part : client.parts()) {
    const Result<LineCounts> sent = send(*part, connection, policy, tools);
    if (!sent && !failure) failure = sent.error();
    if (!sent) continue;
    all.accepted += sent->accepted;
    all.duplicates += sent->duplicates;
    all.rejected += sent->rejected;
    all.early += sent->early;
  }
  if (failure) return *failure;
  return all;
}

}  // namespace futurerand
