// One request for all that a device sends: the body of POST /v1/reports, with the lines of each
// client as a section (wire/metric_sections.hpp), and what the answer means for each of them.
//
//   for (std::string request : report_requests(parts)) {
//     Result<RequestOutcome> outcome = apply_answer(parts, request, post(request));
//   }
//
// Thread safety: that of the clients.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/client/client.hpp"
#include "futurerand/wire/report_answer.hpp"

namespace futurerand {

// Returns the name of a client's section: its metric, or SeasonName::text() of a season.
std::string section_name(const Client& client);

// Returns the due lines of these clients, no two of one metric or season. That is one request, or
// none if nothing is due. There are more only past 64 sections, past 1 MiB of lines, and for two
// seasons of one metric, whose ids one request would link.
std::vector<std::string> report_requests(std::span<Client* const> clients);

struct RequestOutcome {
  struct Failure {
    std::string section;
    Error why;
  };

  LineCounts counts;  // of the sections that neither failed nor come again
  // Lost by the collector, as after the restore of an older backup: send it at once, only once.
  std::string lost;
  // Sections that the collector does not take now (429, 5xx): send them again after a pause.
  std::string busy;
  std::optional<Error> busy_error = {};  // the first of their answers
  std::vector<Failure> failures;         // their lines stay due
};

// `answer` is the body of a 200 to this request. Each section's answer counts for the lines of this
// section only, so that a late answer does no harm. One failure does not hold up other sections.
// Fails with kInvalid if `request` is none, and with kUntrusted if the answer is to another one.
Result<RequestOutcome> apply_answer(std::span<Client* const> clients, std::string_view request,
                                    std::string_view answer);

}  // namespace futurerand
