#include "futurerand/client/acknowledge.hpp"

#include <string>
#include <utility>

namespace futurerand {
namespace {

std::uint32_t first_index_of(const Outbox& outbox) {
  return outbox.reports.empty() ? outbox.next_index : outbox.reports.front().first_index;
}

// An enrolment waits if the collector's clock is behind, or if it has no room for more devices.
ErrorCode code_of(const LineError& error) {
  if (error.reason == "early") return ErrorCode::kNotStarted;
  if (error.reason == "too_many_devices") return ErrorCode::kNoRoom;
  return ErrorCode::kRefused;
}

// A device that left asks for one thing. If the collector does not know the device, it has left.
void apply_departed(const LineError& error, SentOutbox& sent) {
  const bool forgets = sent.outbox.forget.has_value();
  if (!sent.outbox.departs() || error.reason == "left" || error.reason == "unknown_client") return;
  if (error.reason == "closed" && !forgets) return;
  std::string message = "the collector refused a line: " + error.reason;
  if (error.reason == "closed") {
    message = "the metric is closed: the collector has no ids any more, and its sums stay";
  } else if (error.reason == "no_transcripts") {
    message =
        "the collector keeps no transcripts of this metric: its sums stay, and the device leaves";
    sent.again = true;
  }
  sent.refusal = Error{std::move(message), code_of(error)};
}

// The result of one error in the collector's answer, for the client of the line.
void apply(const LineError& error, const Client& client, SentOutbox& sent) {
  if (sent.refusal) return;  // the first one is the cause of those that follow
  if (client.left()) return apply_departed(error, sent);
  const std::uint32_t first = first_index_of(sent.outbox);
  // An enrolment that is part of the outbox was refused for a reason of its own.
  const bool lost_device = error.reason == "unknown_client" && !sent.outbox.enrolment;
  const bool lost_reports = error.reason == "gap" && error.expected < first &&
                            error.expected != 0 && client.reports_index(error.expected);
  if (lost_device || lost_reports) {
    sent.again = true;
    sent.next_index = lost_device ? 0 : error.expected;
    return;
  }
  if (error.expected >= first && error.expected <= sent.outbox.next_index) {
    sent.next_index = error.expected;  // its clock is behind, or a part was known
    return;
  }
  std::string message = "the collector refused a line: " + error.reason;
  if (error.expected != 0) {
    message += "; it expects index " + std::to_string(error.expected) +
               ", and this device sent those from " + std::to_string(first) + " on";
  }
  sent.refusal = Error{std::move(message), code_of(error)};
}

}  // namespace

Result<SentBatch> acknowledge(std::span<Client* const> clients, std::vector<Outbox> outboxes,
                              const ReportAnswer& answer) {
  std::uint64_t num_lines = 0;
  for (const Outbox& outbox : outboxes) num_lines += outbox.num_lines();
  const LineCounts& counts = answer.counts;
  const std::uint64_t counted =
      counts.accepted + counts.duplicates + counts.rejected + counts.early;
  if (counted != num_lines) {
    return Error{"the collector's answer counts " + std::to_string(counted) + " lines; expected " +
                 std::to_string(num_lines) + ", as many as were sent"};
  }
  SentBatch batch{answer.counts, {}};
  auto error = answer.errors.begin();
  std::uint32_t last_line = 0;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::uint32_t next = outboxes[i].next_index;
    SentOutbox& sent = batch.clients.emplace_back(SentOutbox{std::move(outboxes[i]), next});
    last_line += sent.outbox.num_lines();
    for (; error != answer.errors.end() && error->line <= last_line; ++error) {
      apply(*error, *clients[i], sent);
    }
    // Nobody knows what became of lines after the last error that is shown.
    const bool answered = error != answer.errors.end() || answer.errors_not_shown == 0;
    if (sent.refusal && sent.again) {
      if (const Status left = clients[i]->leave_instead(); !left) return left.error();
    }
    if (sent.refusal || !answered) continue;
    // An answer to what it sent before it left says nothing of that.
    if (clients[i]->left() && !sent.outbox.departs()) continue;
    // Nor does one to leaving, once it asks to be forgotten.
    if (clients[i]->asks_to_be_forgotten() && !sent.outbox.forget) continue;
    const Status known = sent.again ? clients[i]->send_again(sent.next_index)
                                    : clients[i]->acknowledge(sent.next_index);
    if (!known) return known.error();
    sent.acknowledged = !sent.again;
  }
  return batch;
}

}  // namespace futurerand
