// fr_fetch_metric and fr_send: the C library's own way to a collector, over the transport that
// devices in C++ use.
#include "futurerand/transport/send.hpp"

#include <string>
#include <vector>

#include "bindings/c/handles.hpp"
#include "bindings/c/text.hpp"
#include "futurerand/transport/collector_exchange.hpp"

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

namespace futurerand::c {

Result<std::size_t> send_clients(std::span<fr_client* const> clients, HttpConnection& connection,
                                 const RetryPolicy& policy, const RetryTools& tools) {
  if (clients.empty()) return std::size_t{0};
  if (clients[0] == nullptr) return Error{"the client is closed; expected an open one"};
  // The turn is held while the answer is awaited: nobody may change these clients meanwhile.
  Result<std::size_t> sent = std::size_t{0};
  fr_error error;
  const fr_code code = in_turn(clients[0]->device, &error, [&] {
    Result<std::vector<Client*>> parts = parts_of(clients);
    if (!parts) {
      sent = parts.error();
      return FR_OK;
    }
    drop_silent(*clients[0]->device, *parts);
    const Result<LineCounts> counts = send(*parts, connection, policy, tools);
    if (counts) {
      sent = static_cast<std::size_t>(counts->accepted + counts->duplicates);
    } else {
      sent = counts.error();
    }
    return FR_OK;
  });
  if (code != FR_OK) return Error{error.message, error_code(code)};
  return sent;
}

}  // namespace futurerand::c

fr_code fr_send(const fr_server* server, fr_client* const* clients, size_t count, size_t* accepted,
                fr_error* error) {
  if (accepted != nullptr) *accepted = 0;
  if (clients == nullptr && count > 0) return fail(Error{"no clients; expected some"}, error);
  return guarded(error, [&] {
    Result<HttpConnection> connection = connect(server);
    if (!connection) return fail(connection.error(), error);
    const Result<std::size_t> sent =
        send_clients({clients, count}, *connection, policy_of(*server), system_retry_tools());
    if (!sent) return fail(sent.error(), error);
    if (accepted != nullptr) *accepted = *sent;
    return succeed(error);
  });
}
