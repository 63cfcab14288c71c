#include "futurerand/transport/send.hpp"

#include <optional>
#include <string>

#include "futurerand/client/report_request.hpp"

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

Result<LineCounts> send(std::span<Client* const> clients, HttpConnection& connection,
                        const RetryPolicy& policy, const RetryTools& tools) {
  LineCounts counts;
  std::optional<Error> failure;
  const auto fail = [&](const Error& why) { failure = failure.value_or(why); };
  for (std::string request : report_requests(clients)) {
    bool resent = false;
    for (std::uint32_t attempt = 1; !request.empty(); ++attempt) {
      const Result<std::string> answer =
          post_lines_to(connection, "/v1/reports", request, policy, tools);
      if (!answer) return failure.value_or(answer.error());
      const Result<RequestOutcome> outcome = apply_answer(clients, request, *answer);
      if (!outcome) return failure.value_or(outcome.error());
      counts += outcome->counts;
      for (const RequestOutcome::Failure& each : outcome->failures) fail(each.why);
      request = outcome->busy;
      if (outcome->busy_error && attempt >= policy.attempts) {
        fail(*outcome->busy_error);
        request.clear();
      }
      if (!request.empty()) tools.sleep(policy.delay(attempt, tools.random()));
      // Only once: a collector that always asks for more waits until the next time.
      if (!resent) request += outcome->lost;
      resent = resent || !outcome->lost.empty();
    }
  }
  if (failure) return *failure;
  return counts;
}

Result<LineCounts> send(Client& client, HttpConnection& connection, const RetryPolicy& policy,
                        const RetryTools& tools) {
  Client* const clients[] = {&client};
  return send(clients, connection, policy, tools);
}

Result<LineCounts> send(RollingClient& client, HttpConnection& connection,
                        const RetryPolicy& policy, const RetryTools& tools) {
  return send(client.parts(), connection, policy, tools);
}

}  // namespace futurerand
