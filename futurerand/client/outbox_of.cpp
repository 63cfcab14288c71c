// Client::outbox_of: which lines an answer is for.
#include <string>
#include <variant>

#include "futurerand/client/client.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

Error not_given(std::uint64_t line) {
  return {"line " + std::to_string(line) +
          " is none that this client gave; expected lines as it gave them"};
}

std::uint32_t first_index(const Outbox& outbox) {
  return outbox.reports.empty() ? outbox.next_index : outbox.reports.front().first_index;
}

}  // namespace

Result<Outbox> Client::outbox_of(std::string_view lines) const {
  if (lines.empty()) return Error{"there are no lines; expected those that were sent"};
  if (left()) return outbox_of_departed(lines);
  const Outbox due = outbox();
  const std::uint32_t stride = state_->device.stride();
  const std::uint32_t unsent = first_index(due);
  Outbox sent;
  sent.next_index = unsent;
  for (std::uint64_t number = 1; !lines.empty(); ++number) {
    const std::size_t end = lines.find('\n');
    if (end == lines.npos) return not_given(number);
    const Result<Line> line = parse_line(lines.substr(0, end));
    if (!line) return not_given(number);
    lines.remove_prefix(end + 1);
    if (const auto* enrolment = std::get_if<Enrolment>(&*line)) {
      if (number != 1 || *enrolment != state_->enrolment()) return not_given(number);
      sent.enrolment = *enrolment;
      continue;
    }
    const auto* report = std::get_if<Report>(&*line);
    if (report == nullptr || report->client != id_) return not_given(number);
    // It starts where the one before ended, is not longer than what is due, and has the same signs.
    const std::uint64_t past = report->first_index + std::uint64_t{report->signs.size()} * stride;
    const bool follows = sent.reports.empty() || report->first_index == sent.next_index;
    if (!follows || report->first_index < state_->device.first_index() || past > due.next_index ||
        (report->first_index - state_->device.first_index()) % stride != 0) {
      return not_given(number);
    }
    const std::uint32_t at = state_->device.num_before(report->first_index);
    if (state_->signs.part(at, report->signs.size()) != report->signs) return not_given(number);
    sent.reports.push_back(*report);
    sent.next_index = static_cast<std::uint32_t>(past);
  }
  // The enrolment comes first, until it is acknowledged once.
  if (!was_enrolled_ && !sent.enrolment) return not_given(1);
  return sent;
}

// A late answer to lines from before it left changes nothing, and their signs are gone: that they
// have its id is enough.
Result<Outbox> Client::outbox_of_departed(std::string_view lines) const {
  Outbox sent;
  for (std::uint64_t number = 1; !lines.empty(); ++number) {
    const std::size_t end = lines.find('\n');
    if (end == lines.npos) return not_given(number);
    const Result<Line> line = parse_line(lines.substr(0, end));
    if (!line) return not_given(number);
    lines.remove_prefix(end + 1);
    const Leave* leave = std::get_if<Leave>(&*line);
    const Forget* forget = std::get_if<Forget>(&*line);
    const Enrolment* enrolment = std::get_if<Enrolment>(&*line);
    const Report* report = std::get_if<Report>(&*line);
    const bool ours = (leave != nullptr && leave->client == id_) ||
                      (forget != nullptr && forget->client == id_) ||
                      (enrolment != nullptr && enrolment->client == id_) ||
                      (report != nullptr && report->client == id_);
    if (!ours || sent.departs()) return not_given(number);
    if (leave != nullptr) sent.leave = *leave;
    if (forget != nullptr) sent.forget = *forget;
    if (enrolment != nullptr) sent.enrolment = *enrolment;
    if (report != nullptr) sent.reports.push_back(*report);
  }
  return sent;
}

}  // namespace futurerand
