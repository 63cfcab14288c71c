// fr_fetch_metric and fr_send: the C library's own way to a collector, over the transport that
// devices in C++ use.
#include <algorithm>
#include <string>
#include <vector>

#include "bindings/c/handles.hpp"
#include "bindings/c/text.hpp"
#include "futurerand/transport/collector_exchange.hpp"
#include "futurerand/wire/metric.hpp"

using namespace futurerand;
using namespace futurerand::c;

namespace {

constexpr std::uint32_t kDefaultTimeout = 30'000;

Result<HttpConnection> connect(const fr_server* server) {
  if (server == nullptr || server->url == nullptr) {
    return Error{"no server; expected one with an address such as https://counts.example"};
  }
  Result<ServerAddress> address = ServerAddress::parse(server->url);
  if (!address) return address.error();
  if (server->token != nullptr) address->token = server->token;
  if (server->ca_file != nullptr) address->ca_file = server->ca_file;
  const std::uint32_t timeout = server->timeout_ms == 0 ? kDefaultTimeout : server->timeout_ms;
  return HttpConnection(*std::move(address), std::chrono::milliseconds(timeout));
}

RetryPolicy policy_of(const fr_server& server) {
  RetryPolicy policy;
  if (server.attempts > 0) policy.attempts = server.attempts;
  return policy;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Takes a text that a call of this library gave.
std::string take(char* text) {
  std::string copy(text);
  fr_free(text);
  return copy;
}

struct Sending {
  fr_client* client;
  std::string metric = {};  // of a season, its name
  std::string lines = {};
  bool lost = false;  // the collector lost what it had, and it is due again
};

fr_code read_due(Sending& sending, fr_error* error) {
  char* text = nullptr;
  if (const fr_code code = fr_client_lines(sending.client, &text, error)) return code;
  sending.lines = take(text);
  sending.metric = sending.client->client.metric();
  if (sending.lines.empty()) return FR_OK;
  const Result<Client*> part = sending.client->client.part_of(sending.lines);
  if (!part) return fail(part.error(), error);
  if ((*part)->season() != 0) {
    sending.metric =
        SeasonName{sending.metric, static_cast<std::int64_t>((*part)->season())}.text();
  }
  return FR_OK;
}

// Sends once what is due of all of them. The first failure is kept; the others go on.
fr_code send_once(HttpConnection& connection, const RetryPolicy& policy, std::vector<Sending>& all,
                  std::size_t& accepted, fr_error* error) {
  std::vector<MetricLines> bodies;
  std::vector<Sending*> sent;
  for (Sending& sending : all) {
    if (sending.lines.empty()) continue;
    bodies.push_back({sending.metric, sending.lines});
    sent.push_back(&sending);
  }
  if (sent.empty()) return FR_OK;
  const Result<std::vector<SentLines>> answers =
      post_all_lines(connection, bodies, policy, system_retry_tools());
  if (!answers) return fail(answers.error(), error);
  fr_code first = FR_OK;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const SentLines& answer = (*answers)[i];
    fr_error why{FR_OK, ""};
    const std::string before = sent[i]->lines;
    fr_code code = answer.failure
                       ? fail(*answer.failure, &why)
                       : fr_client_acknowledge(sent[i]->client, before.data(), before.size(),
                                               answer.answer.data(), answer.answer.size(), &why);
    if (code == FR_OK) code = read_due(*sent[i], &why);
    if (code != FR_OK) {
      if (first == FR_OK && error != nullptr) *error = why;
      if (first == FR_OK) first = code;
      sent[i]->lines.clear();
      continue;
    }
    sent[i]->lost = !before.ends_with(sent[i]->lines);
    if (!sent[i]->lost) accepted += lines_in(before) - lines_in(sent[i]->lines);
    if (!sent[i]->lost) sent[i]->lines.clear();  // what is left waits for the next time
  }
  return first;
}

}  // namespace

fr_code fr_fetch_metric(const fr_server* server, const char* name, fr_metric** metric,
                        fr_error* error) {
  if (const fr_code code = clear_out(metric, error)) return code;
  if (name == nullptr) return fail(Error{"the metric has no name; expected one"}, error);
  return guarded(error, [&] {
    Result<HttpConnection> connection = connect(server);
    if (!connection) return fail(connection.error(), error);
    const Result<std::string> document = get_metric(*connection, name);
    if (!document) return fail(document.error(), error);
    const fr_code code = fr_metric_accept(document->data(), document->size(), metric, error);
    if (code == FR_OK && (*metric)->terms.name != name) {
      fr_metric_close(metric);
      return fail(Error{"the collector describes another metric than '" + std::string(name) + "'",
                        ErrorCode::kUntrusted},
                  error);
    }
    if (code != FR_INVALID) return code;
    return fail(Error{"the collector's answer is no metric", ErrorCode::kUntrusted}, error);
  });
}

fr_code fr_send(const fr_server* server, fr_client* const* clients, size_t count, size_t* accepted,
                fr_error* error) {
  if (accepted != nullptr) *accepted = 0;
  if (clients == nullptr && count > 0) return fail(Error{"no clients; expected some"}, error);
  return guarded(error, [&] {
    Result<HttpConnection> connection = connect(server);
    if (!connection) return fail(connection.error(), error);
    std::vector<Sending> all;
    for (size_t i = 0; i < count; ++i) {
      if (clients[i] == nullptr) return closed("client", error);
      Sending sending{clients[i]};
      if (const fr_code code = read_due(sending, error)) return code;
      all.push_back(std::move(sending));
    }
    std::size_t taken = 0;
    fr_code code = send_once(*connection, policy_of(*server), all, taken, error);
    // Once more for those whose reports the collector lost, as after an older backup was restored.
    if (code == FR_OK) code = send_once(*connection, policy_of(*server), all, taken, error);
    if (accepted != nullptr) *accepted = taken;
    return code == FR_OK ? succeed(error) : code;
  });
}
