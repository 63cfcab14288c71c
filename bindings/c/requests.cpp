// One request for several clients: that part of futurerand.h which needs no HTTP.
#include <algorithm>

#include "bindings/c/handles.hpp"
#include "bindings/c/text.hpp"
#include "futurerand/client/report_request.hpp"
#include "futurerand/wire/json_writer.hpp"

namespace futurerand::c {

Result<std::vector<Client*>> parts_of(std::span<fr_client* const> clients) {
  std::vector<Client*> parts;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    if (clients[i] == nullptr) return Error{"a client is closed or missing; expected an open one"};
    if (clients[i]->device != clients[0]->device) {
      return Error{
          "the clients are of two devices; expected those of one, since a request shows "
          "that its lines belong together"};
    }
    if (std::find(clients.begin(), clients.begin() + static_cast<std::ptrdiff_t>(i), clients[i]) !=
        clients.begin() + static_cast<std::ptrdiff_t>(i)) {
      return Error{"a client is given twice; expected each once"};
    }
    for (Client* part : clients[i]->client.parts()) parts.push_back(part);
  }
  return parts;
}

void drop_silent(const OpenDevice& device, std::vector<Client*>& parts) {
  if (device.participation != UserDecision::kOff) return;
  std::erase_if(parts, [](const Client* part) { return !part->left(); });
}

}  // namespace futurerand::c

using namespace futurerand;
using namespace futurerand::c;

namespace {

void write_counts(JsonWriter& out, const LineCounts& counts) {
  out.member("accepted", counts.accepted).member("duplicates", counts.duplicates);
  out.member("rejected", counts.rejected).member("early", counts.early);
}

void write_failure(JsonWriter& out, const std::string& section, const Error& why) {
  fr_error error;
  const fr_code code = fail(why, &error);
  out.begin_object().member("metric", section);
  out.member("code", static_cast<std::uint64_t>(code)).member("message", why.message).end_object();
}

std::string outcome_json(const RequestOutcome& outcome) {
  JsonWriter out;
  out.begin_object();
  write_counts(out, outcome.counts);
  out.member("lost", outcome.lost).member("busy", outcome.busy).key("why_busy");
  out.value(outcome.busy_error ? std::optional(outcome.busy_error->message) : std::nullopt);
  out.key("failures").begin_array();
  for (const RequestOutcome::Failure& each : outcome.failures) {
    write_failure(out, each.section, each.why);
  }
  return std::move(out.end_array().end_object()).take();
}

fr_code no_clients(fr_error* error) { return fail(Error{"no clients; expected some"}, error); }

}  // namespace

fr_code fr_clients_requests(fr_client* const* clients, size_t count, char** json, fr_error* error) {
  if (const fr_code code = clear_out(json, error)) return code;
  if (count > 0 && clients == nullptr) return no_clients(error);
  if (count == 0) return give_text("[]", json, error);
  if (clients[0] == nullptr) return closed("client", error);
  return in_turn(clients[0]->device, error, [&] {
    Result<std::vector<Client*>> parts = parts_of({clients, count});
    if (!parts) return fail(parts.error(), error);
    drop_silent(*clients[0]->device, *parts);
    JsonWriter out;
    out.begin_array();
    for (const std::string& request : report_requests(*parts)) {
      out.value(request);
    }
    return give_text(std::move(out.end_array()).take(), json, error);
  });
}

fr_code fr_clients_answer(fr_client* const* clients, size_t count, const char* request,
                          size_t request_size, const char* answer, size_t answer_size, char** json,
                          fr_error* error) {
  if (const fr_code code = clear_out(json, error)) return code;
  if (count == 0 || clients == nullptr) return no_clients(error);
  std::string_view sent, said;
  if (!read_text(request, request_size, sent) || !read_text(answer, answer_size, said)) {
    return fail(Error{"no request or no answer; expected both"}, error);
  }
  if (clients[0] == nullptr) return closed("client", error);
  return in_turn(clients[0]->device, error, [&] {
    const Result<std::vector<Client*>> parts = parts_of({clients, count});
    if (!parts) return fail(parts.error(), error);
    const Result<RequestOutcome> outcome = apply_answer(*parts, sent, said);
    if (!outcome) return fail(outcome.error(), error);
    return give_text(outcome_json(*outcome), json, error);
  });
}
