#include "futurerand/client/report_request.hpp"

#include <algorithm>
#include <utility>

#include "futurerand/client/acknowledge.hpp"
#include "futurerand/wire/error_answer.hpp"
#include "futurerand/wire/metric.hpp"
#include "futurerand/wire/metric_sections.hpp"

namespace futurerand {
namespace {

// A collector takes bodies of 8 MiB.
constexpr std::size_t kMaxRequestBytes = std::size_t{1} << 20;

std::string section_of(const std::string& name, std::string_view lines) {
  return section_line(name) + std::string(lines);
}

// The result of an answer to these lines, for the client of the lines.
Status apply_lines(Client& client, std::string_view lines, std::string_view answer,
                   RequestOutcome& outcome) {
  Result<Outbox> outbox = client.outbox_of(lines);
  if (!outbox) return outbox.error();
  const Result<ReportAnswer> parsed = parse_report_answer(answer);
  if (!parsed) return parsed.error();
  Client* const clients[] = {&client};
  const Result<SentBatch> known = acknowledge(clients, {*std::move(outbox)}, *parsed);
  if (!known) return known.error();
  const SentOutbox& sent = known->clients[0];
  if (sent.again) outcome.lost += section_of(section_name(client), to_lines(client.outbox()));
  if (sent.refusal) return *sent.refusal;
  if (!sent.again) outcome.counts += known->counts;
  return {};
}

}  // namespace

std::string section_name(const Client& client) {
  if (client.season() == 0) return client.metric();
  return SeasonName{client.metric(), static_cast<std::int64_t>(client.season())}.text();
}

std::vector<std::string> report_requests(std::span<Client* const> clients) {
  std::vector<std::string> requests;
  std::vector<std::string_view> metrics;  // in the last request
  for (const Client* client : clients) {
    const Outbox due = client->outbox();
    if (due.num_lines() == 0) continue;
    const std::string section = section_of(section_name(*client), to_lines(due));
    // Two seasons of one metric have two ids, and one request would link them.
    const bool has_metric =
        std::find(metrics.begin(), metrics.end(), client->metric()) != metrics.end();
    const bool fits = !requests.empty() && !has_metric && metrics.size() < kMaxSections &&
                      requests.back().size() + section.size() <= kMaxRequestBytes;
    if (!fits) {
      requests.emplace_back();
      metrics.clear();
    }
    metrics.push_back(client->metric());
    requests.back() += section;
  }
  return requests;
}

Result<RequestOutcome> apply_answer(std::span<Client* const> clients, std::string_view request,
                                    std::string_view answer) {
  const Result<std::vector<MetricSection>> sections = split_sections(request);
  if (!sections) return sections.error();
  const Result<std::vector<SectionAnswer>> answers = parse_section_answers(answer);
  const bool fits = answers && answers->size() == sections->size() &&
                    std::equal(sections->begin(), sections->end(), answers->begin(),
                               [](const auto& a, const auto& b) { return a.metric == b.metric; });
  if (!fits) {
    return Error{"the answer is not to this request; expected a collector at this address",
                 ErrorCode::kUntrusted};
  }
  RequestOutcome outcome;
  for (std::size_t i = 0; i < sections->size(); ++i) {
    const MetricSection& section = (*sections)[i];
    const SectionAnswer& said = (*answers)[i];
    const auto fail = [&](const Error& why) { outcome.failures.push_back({section.metric, why}); };
    if (may_succeed_later(said.status)) {
      outcome.busy += section_of(section.metric, section.lines);
      if (!outcome.busy_error) outcome.busy_error = error_of_status(said.status, said.answer);
      continue;
    }
    if (said.status != 200) {
      fail(error_of_status(said.status, said.answer));
      continue;
    }
    const auto client = std::find_if(clients.begin(), clients.end(), [&](const Client* each) {
      return section_name(*each) == section.metric;
    });
    if (client == clients.end()) {
      fail({"no client gave the lines of '" + section.metric +
            "'; expected lines as they were "
            "given"});
      continue;
    }
    const Status applied = apply_lines(**client, section.lines, said.answer, outcome);
    if (!applied) fail(applied.error());
  }
  return outcome;
}

}  // namespace futurerand
